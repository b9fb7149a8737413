// The bar on top: whose view it is, where the reader is, printing; and folds.

const bySelector = (selector, within = document) => [...within.querySelectorAll(selector)];
const viewNow = () => byId('v-expert').checked ? 'expert' : 'client';

// setView shows the view of that name; any other leaves it as it is.
function setView(name) {
  const choice = byId('v-' + name);
  if (choice) choice.checked = true;
}

// viewInHash is the view that the address names, if it names one.
const viewInHash = () => new URLSearchParams(location.hash.slice(1)).get('view');

function keepView() {
  stored('view', viewNow());
  const hash = new URLSearchParams(location.hash.slice(1));
  if (!hash.has('view')) return;
  hash.set('view', viewNow());
  history.replaceState(null, '', '#' + hash.toString().replace(/=(?=&|$)/g, ''));
}

// unfold opens what an address of the page leads to, wherever that is folded.
function unfold() {
  const [id, ...more] = location.hash.slice(1).split('&'), node = byId(id);
  if (!node) return;
  for (let at = node; at; at = at.parentElement) if (at.tagName === 'DETAILS') at.open = true;
  if (!node.checkVisibility()) setView('expert');
  // A browser goes to an id alone, and to no fold; the table goes to its own addresses.
  if (node.tagName === 'DETAILS' || more.length && id !== 'entries') node.scrollIntoView();
}

// markSection tells the part of the page that the reader is in.
function markSection() {
  const links = bySelector('.parts a').filter(link => link.checkVisibility());
  let current = links[0];
  for (const link of links) {
    const part = byId(link.hash.slice(1));
    if (part && part.getBoundingClientRect().top < 160) current = link;
  }
  if (innerHeight + scrollY >= document.body.scrollHeight - 4 && scrollY > 0) current = links.at(-1);
  for (const link of links) {
    if (link === current) link.setAttribute('aria-current', 'true'); else link.removeAttribute('aria-current');
  }
  const bar = current.closest('nav');
  bar.scrollLeft = current.offsetLeft - bar.offsetLeft - bar.clientWidth / 2 + current.offsetWidth / 2;
}

// cssText writes text as a string of CSS.
const cssText = text => '"' + text.replace(/[^\p{L}\p{N} ,.·:/_-]/gu, c => '\\' + c.codePointAt(0).toString(16) + ' ') + '"';

// footPages has each printed page say at its foot what it is a page of.
const footPages = () => root.style.setProperty('--foot', cssText(byId('cover').innerText));

// Folds that print open do so by style where the browser knows how, by hand elsewhere.
const opened4print = [];
function unfoldForPrint() {
  if (CSS.supports('selector(::details-content)')) return;
  for (const fold of bySelector('details.fold:not([open])')) {
    fold.open = true;
    opened4print.push(fold);
  }
}

function wireView() {
  setView(viewInHash() || stored('view'));
  for (const choice of bySelector('[name=view]')) choice.addEventListener('change', () => { keepView(); markSection(); });
  byId('print').addEventListener('click', () => print());
  addEventListener('beforeprint', unfoldForPrint);
  addEventListener('afterprint', () => { for (const fold of opened4print.splice(0)) fold.open = false; });
  addEventListener('hashchange', () => { setView(viewInHash()); unfold(); });
  addEventListener('scroll', markSection, { passive: true });
  for (const asked of bySelector('[data-copy]')) asked.addEventListener('click', () => copyText(asked.dataset.copy, asked));
  footPages();
  unfold();
  markSection();
}
