// Language.
function speak(lang) {
  root.lang = config.say[lang] ? lang : 'en';
  for (const node of document.querySelectorAll('[data-t]')) node.textContent = say(node.dataset.t);
}

// keepLanguage has the other pages of a server open in the language that was chosen
// here. Only a served page leads to others.
function keepLanguage() {
  const list = document.querySelector('.site a');
  if (list) document.cookie = 'lang=' + root.lang + '; SameSite=Strict; path=' + new URL(list.href).pathname;
}

function wire() {
  byId('lang').addEventListener('click', () => { speak(byId('lang').querySelector('.' + root.lang).lang); keepLanguage(); draw(); if (hits.totals.set) { drawChips(); drawOnly(); tell(); show(); } drawReported(); });
  const all = byId('all-files');
  if (all) all.addEventListener('click', () => { byId('more-files').classList.add('open'); all.parentNode.remove(); });
  addEventListener('hashchange', openHash);
}

async function start() {
  root.classList.add('scripted');
  paint(stored('theme'));
  speak(new URLSearchParams(location.hash.slice(1)).get('lang') || root.lang);
  try {
    await load();
  } catch (fault) {
    byId('static').prepend(el('p', { class: 'note bad' }, say('failed')));
    return;
  }
  for (const node of document.querySelectorAll('.js')) node.hidden = false;
  byId('static').remove();
  if (matchMedia('(max-width: 900px)').matches) document.querySelector('.by').open = false; // nothing stands beside it
  wire();
  goLinks();
  if (!await openHash()) {
    draw();
    await refresh();
  }
  await loadReported();
  root.dataset.ready = 'true';
}

start();
