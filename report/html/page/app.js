// Language.
function speak(lang) {
  root.lang = config.words[lang] ? lang : 'en';
  for (const node of document.querySelectorAll('[data-t]')) node.textContent = say(node.dataset.t);
}

// keepLanguage has the other pages of a server open in the language that was chosen
// here. Only a served page leads to others.
function keepLanguage() {
  const list = document.querySelector('.site a');
  if (list) document.cookie = 'lang=' + root.lang + '; SameSite=Strict; path=' + new URL(list.href).pathname;
}

function wire() {
  byId('lang').addEventListener('click', () => { speak(byId('lang').querySelector('.' + root.lang).lang); keepLanguage(); footPages(); draw(); if (hits.totals.set) { drawChips(); drawOnly(); tell(); show(); } });
  addEventListener('hashchange', openHash);
}

async function start() {
  root.classList.add('scripted');
  paint(stored('theme'));
  speak(new URLSearchParams(location.hash.slice(1)).get('lang') || root.lang);
  for (const node of document.querySelectorAll('.js')) node.hidden = false;
  wireView();
  try {
    await load();
  } catch (fault) {
    byId('static').prepend(el('p', { class: 'note bad' }, say('failed')));
    return;
  }
  byId('static').remove();
  wire();
  goLinks();
  if (!await openHash()) {
    draw();
    await refresh();
  }
  root.dataset.ready = 'true';
}

start();
