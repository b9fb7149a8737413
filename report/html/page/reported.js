// The addresses that Search Console reports: chips by class, search, pages.

const reported = { config: null, chunks: [], starts: [], order: [], state: { c: '', q: '', p: 1 } };
const reportedAt = (row, name) => {
  const chunk = within(reported.starts, row);
  return reported.chunks[chunk][name][row - reported.starts[chunk]];
};
const reportedWord = (row, name, list) => reported.config[list][reportedAt(row, name)];
const reportedWords = () => reported.config.words[root.lang] || reported.config.words.en;
const reportedReason = reason => reportedWords().labels[reason] || labelWord(reason);

async function loadReported() {
  const node = byId('reported-config');
  if (!node) return;
  reported.config = JSON.parse(node.textContent);
  for (const chunk of document.querySelectorAll('.reported-rows')) {
    reported.chunks.push(JSON.parse(decoder.decode(await unpack(chunk))));
    chunk.remove();
  }
  reported.starts = startsOf(reported.chunks, chunk => chunk.url.length);
  byId('reported-static').remove();
  drawReported();
}

// drawReported builds the section's table anew, which is needed for a filter, a
// page and another language.
function drawReported() {
  if (!reported.config) return;
  const { config, state } = reported, box = byId('reported-app'), focus = document.activeElement, kept = focus && box.contains(focus) ? focus.dataset.id || focus.id : '';
  findReported();
  const choose = c => () => { state.c = c; state.p = 1; drawReported(); };
  const chip = (label, pressed, act, n, picture, id) => button([picture, label, el('b', {}, number(n))], act, { class: 'chip', 'aria-pressed': String(pressed), 'data-id': id });
  const chipsOf = config.classes.filter(c => config.counts[c]).map(c => chip(reportedWords().classes[c].name, state.c === c, choose(c), config.counts[c], reportedIcon(config.classes.indexOf(c)), 'rc-' + c));
  const search = el('input', { type: 'search', id: 'rq', placeholder: say('reported-search'), 'aria-label': say('reported-search'), autocomplete: 'off', spellcheck: 'false', dir: 'auto' });
  search.value = state.q;
  let timer;
  search.addEventListener('input', () => {
    clearTimeout(timer);
    timer = setTimeout(() => { state.q = search.value; state.p = 1; findReported(); showReported(box); }, 150);
  });
  const head = ['reported-addresses', 'reported-class', 'reported-do'].map(key => el('th', { role: 'columnheader', scope: 'col' }, say(key)));
  box.replaceChildren(el('div', { class: 'bar' }, search), el('div', { class: 'chips', role: 'group', 'aria-label': say('reported-class') },
    chip(say('all-rows'), state.c === '', choose(''), config.count, '', 'rc-all'), ...chipsOf),
    el('div', { class: 'state' }, el('p', { role: 'status', 'aria-live': 'polite' })),
    el('table', { class: 'plain stack reported', role: 'table' }, el('caption', { class: 'vh' }, say('reported-addresses')),
      el('thead', { role: 'rowgroup' }, el('tr', { role: 'row' }, ...head)), el('tbody', { role: 'rowgroup' })),
    el('nav', { class: 'nav', 'aria-label': say('reported-addresses') }));
  showReported(box);
  if (kept) (box.querySelector('[data-id="' + CSS.escape(kept) + '"]') || byId(kept) || search).focus();
}

function findReported() {
  const { config, state } = reported, query = state.q.trim().toLowerCase(), c = config.classes.indexOf(state.c);
  reported.order = [];
  for (let row = 0; row < config.count; row++) {
    if (c >= 0 && reportedAt(row, 'class') !== c) continue;
    if (query && ![reportedAt(row, 'url'), reportedAt(row, 'to'), reportedWord(row, 'reason', 'reasons')].some(s => s.toLowerCase().includes(query))) continue;
    reported.order.push(row);
  }
  if (c < 0) reported.order.sort((a, b) => reportedAt(a, 'class') - reportedAt(b, 'class') || a - b);
}

function showReported(box) {
  const { order, state } = reported, size = 50, pages = Math.max(1, Math.ceil(order.length / size)), from = (state.p - 1) * size, to = Math.min(from + size, order.length);
  box.querySelector('[role=status]').textContent = order.length ? say('reported-showing', { from: from + 1, to, n: order.length }) : say('none');
  box.querySelector('tbody').replaceChildren(...order.slice(from, to).map(reportedNode));
  box.querySelector('nav').replaceChildren(...pageButtons(state.p, pages, p => { state.p = p; showReported(box); byId('reported-app').scrollIntoView(); }, 'reported'));
}

function reportedIcon(c) {
  const [group, name] = reported.config.looks[c];
  return icon(name, group);
}

function reportedNode(row) {
  const c = reportedAt(row, 'class'), reason = reportedWord(row, 'reason', 'reasons'), crawled = reportedAt(row, 'crawled');
  const about = [reason && reportedReason(reason), crawled && say('reported-crawled', { date: crawled })].filter(Boolean).join(' · ');
  const statuses = reportedWord(row, 'statuses', 'statuses'), verdict = reported.config.verdicts[reportedAt(row, 'verdict')];
  return el('tr', { role: 'row' },
    el('th', { role: 'rowheader', scope: 'row' }, address(reportedAt(row, 'url'), 300), about ? el('span', { class: 'sm' }, about) : ''),
    el('td', { role: 'cell' }, el('span', { class: 'v' }, reportedIcon(c), el('span', {}, reportedWords().classes[reported.config.classes[c]].name)),
      el('span', { class: 'sm' }, [verdictWords(verdict).name, statuses].filter(Boolean).join(' · '))),
    el('td', { role: 'cell' }, ...adviceNodes(row, reason, crawled), listedIn(row)));
}

// listedIn names the sitemaps, and leads to the entry in the table.
function listedIn(row) {
  const list = reportedWord(row, 'sitemaps', 'sitemaps').split('\n').filter(Boolean);
  if (!list.length) return '';
  const otherwise = reportedAt(row, 'otherwise'), seek = new URLSearchParams({ q: reportedAt(row, 'url') });
  const files = list.flatMap((url, i) => i ? [' · ', address(url, 120)] : [address(url, 120)]);
  return el('span', { class: 'sm' }, say(otherwise ? 'reported-otherwise' : 'reported-listed') + ' ', ...files,
    ...otherwise ? [] : [' ', el('a', { href: '#entries&' + seek }, say('reported-entry'))]);
}

// adviceNodes is what to do, its address as an address.
function adviceNodes(row, reason, crawled) {
  const words = reportedWords(), key = reportedWord(row, 'advice', 'advice'), why = reportedWord(row, 'why', 'whys');
  const values = { seen: crawled ? fill(words.texts.seen, { date: crawled }) : '', do: doWord(reportedWord(row, 'decided', 'decided')),
    why: why === 'unsteady' ? wordsNow().texts.unsteady : faultWord(why), reason: reportedReason(reason),
    no: words.texts[reported.config.unread ? 'no-sitemap-read' : 'no-sitemap'], No: words.texts[reported.config.unread ? 'No-sitemap-read' : 'No-sitemap'] };
  return (words.advice[key] || key).split('{to}').flatMap((part, i) => i ? [el('code', {}, reportedAt(row, 'to')), ...rich(fill(part, values))] : rich(fill(part, values)));
}
