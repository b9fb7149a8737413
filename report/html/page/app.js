// The table as it stands on the page, and what readers do with it.

const app = byId('app');
const live = el('p', { role: 'status', 'aria-live': 'polite' }), body = el('tbody', { role: 'rowgroup' }), navs = el('nav', { class: 'nav' });

// counts of each word among all rows, for the chips.
const counted = {};
function countWords() {
  const tally = (key, column, wordsOf) => {
    const bySet = new Uint32Array(1 << 8 * column.BYTES_PER_ELEMENT);
    for (let row = 0; row < column.length; row++) bySet[column[row]]++;
    counted[key] = {};
    bySet.forEach((n, set) => { if (n) for (const word of wordsOf(set)) counted[key][word] = (counted[key][word] || 0) + n; });
  };
  tally('g', rows.num.group, i => [config.groups[i]]);
  tally('r', rows.num.reasons, i => config.reasons[i].split(' ').filter(Boolean));
  tally('n', rows.num.notes, i => config.notes[i].split(' ').filter(Boolean));
}

function chip(label, pressed, act, count, picture, id) {
  return button([picture || '', label, count === undefined ? '' : el('b', {}, number(count))], act, { class: 'chip', 'aria-pressed': String(pressed), 'data-id': id });
}

function chips(key, caption, list, label, picture) {
  const present = list.filter(word => counted[key][word]);
  const toggle = word => () => {
    state[key] = state[key].includes(word) ? state[key].filter(x => x !== word) : [...state[key], word];
    change();
  };
  return el('div', { class: 'chips', role: 'group', 'aria-label': caption },
    ...present.map(word => chip(label(word), state[key].includes(word), toggle(word), counted[key][word], picture && picture(word), key + '-' + word)));
}

const sortedWords = key => Object.keys(counted[key]).sort((a, b) => counted[key][b] - counted[key][a]);

function groupChips() {
  const choose = group => () => { state.g = group; state.v = []; state.a = ''; state.c = ''; change(); };
  const list = config.groups.filter(group => counted.g[group]);
  return el('div', { class: 'chips', role: 'group', 'aria-label': say('by-group') },
    chip(say('all-rows'), state.g === '', choose(''), rows.count, '', 'g-all'),
    ...list.map(group => chip(say('short-' + group), state.g === group, choose(group), counted.g[group], icon('g-' + group, group), 'g-' + group)));
}

// verdictsIn counts the verdicts of a group, of all groups for ''; homeGroup is
// the group that most rows of a verdict are in: its colour.
const verdictsIn = { '': {} }, homeGroup = {};
function countVerdicts() {
  const { verdict, group } = rows.num, pairs = new Uint32Array(1 << 12), best = {};
  for (let row = 0; row < rows.count; row++) pairs[verdict[row] * 16 + group[row]]++;
  for (let key = 0; key < pairs.length; key++) {
    const n = pairs[key];
    if (!n) continue;
    const v = config.verdicts[key >> 4], g = config.groups[key & 15];
    (verdictsIn[g] = verdictsIn[g] || {})[v] = n;
    verdictsIn[''][v] = (verdictsIn[''][v] || 0) + n;
    if (!(best[v] >= n)) { best[v] = n; homeGroup[v] = g; }
  }
}

function verdictChips() {
  counted.v = verdictsIn[state.g] || {};
  return chips('v', say('by-verdict'), sortedWords('v'), v => verdictWords(v).name, v => icon(v, state.g || homeGroup[v]));
}

// onlyChips are the filters that come from elsewhere on the page: each can be taken off.
function onlyChips() {
  const only = [];
  const add = (key, label) => only.push(button([label, el('b', { 'aria-hidden': 'true' }, '✕')], () => { state[key] = ''; change(); }, { class: 'chip only', title: say('remove') }));
  const cause = config.causes[state.c];
  if (state.c !== '' && cause) add('c', say('cause', { name: (cause.rule[root.lang] || cause.rule.en) || verdictWords(cause.verdict).name }));
  if (state.f !== '' && config.files[state.f] !== undefined) add('f', say('file', { name: middle(config.files[state.f], 60) }));
  if (state.a) add('a', say('action', { name: (wordsNow().actions[state.a] || { name: state.a }).name }));
  return only.length ? el('div', { class: 'chips', role: 'group', 'aria-label': say('chosen') }, ...only) : '';
}

function toolbar() {
  const search = el('input', { type: 'search', id: 'q', placeholder: say('search'), 'aria-label': say('search'), autocomplete: 'off', spellcheck: 'false', dir: 'auto' });
  search.value = state.q;
  let timer;
  search.addEventListener('input', () => {
    clearTimeout(timer);
    timer = setTimeout(() => { state.q = search.value; state.p = 1; refresh(); }, 150);
  });
  const size = el('select', { 'aria-label': say('page-size'), title: say('page-size') }, ...pageSizes.map(n => el('option', { value: n, selected: n === state.z }, String(n))));
  size.addEventListener('change', () => { state.z = Number(size.value); change(); });
  const copy = button(say('copy-rows'), async () => {
    const list = await made(order, row => wireOf(row) || locOf(row));
    copyText(list.join('\n'), copy);
  });
  return el('div', { class: 'bar' }, search, size,
    button(say('clear'), () => { state = { ...startState(), g: '' }; change(); }, { id: 'clear' }), copy,
    button(say('csv'), saveCSV, { id: 'csv' }));
}

async function saveCSV() {
  const link = el('a', { download: 'entries.csv' });
  link.href = URL.createObjectURL(await csv());
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

const columns = [['verdict', 'col-verdict'], ['url', 'col-url'], ['final', 'col-final'], ['status', 'col-status'], ['ms', 'col-ms']];

function headRow() {
  const heads = columns.map(([key, label]) => {
    const dir = state.s !== key ? 'none' : state.d === 'desc' ? 'descending' : 'ascending';
    const turnOver = () => {
      state.d = state.s === key && state.d !== 'desc' ? 'desc' : '';
      state.s = key;
      change();
    };
    return el('th', { scope: 'col', role: 'columnheader', class: 'c-' + key + (key === 'ms' ? ' num' : ''), 'aria-sort': dir }, button(say(label), turnOver, { 'data-id': 's-' + key }));
  });
  return el('thead', { role: 'rowgroup' }, el('tr', { role: 'row' }, el('th', { class: 'c-open', role: 'columnheader', scope: 'col' }, el('span', { class: 'vh' }, say('trail'))), ...heads));
}

// draw builds the table's surroundings, which change with language and filter;
// the rows, the line that counts them and the pager stay until they are shown anew.
function draw() {
  const focus = document.activeElement, kept = focus && app.contains(focus) ? focus.dataset.id || focus.id : '';
  const more = app.querySelector('details.more-filters');
  navs.setAttribute('aria-label', say('entries'));
  const filters = el('details', { class: 'more-filters', open: Boolean(more && more.open) || state.r.length + state.n.length > 0 }, el('summary', {}, say('more-filters')),
    chips('r', say('by-reason'), sortedWords('r'), reasonWord), chips('n', say('by-note'), sortedWords('n'), noteWord));
  app.replaceChildren(toolbar(), groupChips(), verdictChips(), filters, onlyChips(), el('div', { class: 'state' }, live),
    el('table', { class: 'rows', role: 'table' }, el('caption', { class: 'vh' }, say('entries')), headRow(), body), navs);
  if (kept) (app.querySelector('[data-id="' + CSS.escape(kept) + '"]') || byId(kept) || app.querySelector('#q')).focus();
}

// change is for a new filter: back to the first page.
function change() { state.p = 1; draw(); return refresh(); }

async function refresh() {
  const slow = setTimeout(() => { live.textContent = say('working'); }, 120);
  const done = await find();
  clearTimeout(slow);
  if (done) await show();
}

// show shows a page of rows. A newer call ends it.
let shows = 0;
async function show() {
  const mine = ++shows;
  const pages = Math.max(1, Math.ceil(order.length / state.z));
  state.p = Math.min(state.p, pages);
  const from = (state.p - 1) * state.z, to = Math.min(from + state.z, order.length);
  const list = await made(order.subarray(from, to), rowNode);
  if (mine !== shows) return;
  body.replaceChildren(...list);
  live.textContent = order.length ? say('showing', { from: from + 1, to, n: order.length }) : say('none');
  drawNav(navs, state.p, pages, async p => { state.p = p; await show(); byId('table').scrollIntoView(); });
  keepInHash();
}

function drawNav(nav, page, pages, go) {
  if (pages < 2) return nav.replaceChildren();
  const jump = (key, to, off) => button(say(key), () => go(to), { disabled: off, 'data-nav': key });
  const focus = nav.contains(document.activeElement) ? document.activeElement.dataset.nav : '';
  nav.replaceChildren(jump('first', 1, page === 1), jump('prev', page - 1, page === 1), el('span', {}, say('page-of', { p: page, n: pages })),
    jump('next', page + 1, page === pages), jump('last', pages, page === pages));
  if (focus) (nav.querySelector('[data-nav="' + focus + '"]:not(:disabled)') || nav.querySelector('button:not(:disabled)')).focus();
}

function cell(name, ...children) { return el('td', { role: 'cell', class: name }, ...children); }

function rowNode(row) {
  const verdict = verdictOf(row), wire = wireOf(row), shown = text(row, 'readable') || locOf(row), id = 'd' + row;
  const open = button('', () => toggle(row, open), { class: 'open', 'aria-expanded': 'false', 'aria-controls': id, 'aria-label': say('open') });
  const label = labelOf(row), place = placeOf(row);
  return el('tr', { class: 'r', role: 'row' }, cell('c-open', open),
    cell('c-verdict', el('span', { class: 'v' }, icon(verdict, groupOf(row)), el('span', {}, verdictWords(verdict).name)), label ? el('span', { class: 'sm' }, labelWord(label)) : ''),
    cell('c-url', address(shown, 120), wire && wire !== shown ? el('span', { class: 'sm one' }, address(wire, 120)) : '', el('span', { class: 'sm', title: place }, shortPlace(row))),
    cell('c-final', ...finalCell(row, wire)), answersCell(row), cell('c-ms num', took(rows.num.ms[row], rows.num.status[row])));
}

// shortPlace is the file's name and the line; the whole address is its title.
function shortPlace(row) {
  const file = config.files[rows.num.file[row]] || '';
  return middle(file.replace(/^.*\/(?=[^/])/, ''), 60) + ':' + rows.num.line[row];
}

function finalCell(row, wire) {
  const final = finalOf(row), action = actionOf(row), written = writtenOf(row), out = [];
  out.push(final && final !== wire ? shownAs(final) : el('span', { class: 'o' }, '–'));
  if (written && written !== final) out.push(el('span', { class: 'sm' }, say('written') + ': ', address(written, 120)));
  if (action !== 'keep') out.push(el('span', { class: 'sm' }, (wordsNow().actions[action] || { name: action }).name));
  return out;
}

// shownAs is an address as people read it, with the wire form as its title.
function shownAs(wire) {
  const node = address(decoded(wire), 120);
  node.title = middle(wire, 600);
  return node;
}

// answersCell is statuses on one line; a sentence may take more.
function answersCell(row) {
  const list = statusesOf(row), shown = list.length > 4 ? [list[0], '… ' + (list.length - 2) + ' …', list.at(-1)] : list;
  const inWords = shown.some(one => /^[a-z]/.test(one));
  return cell(inWords ? 'c-status' : 'c-status nw', shown.map(one => /^[a-z]/.test(one) ? faultWord(one) : one).join(' → '));
}

async function toggle(row, open) {
  const tr = open.closest('tr'), next = tr.nextElementSibling;
  if (next && next.id === 'd' + row) {
    next.remove();
    open.setAttribute('aria-expanded', 'false');
    return;
  }
  open.setAttribute('aria-expanded', 'true');
  const box = el('td', { role: 'cell', colspan: '6' });
  tr.after(el('tr', { class: 'drow', role: 'row', id: 'd' + row }, box));
  box.append(detailNode(row, await detailOf(row)));
}

// The edits as a diff, a page at a time.
function drawEdits() {
  const diff = byId('diff'), nav = byId('diff-nav');
  if (!diff) return;
  const size = 25, keep = config.actions.indexOf('keep');
  const list = rows.num.action.reduce((out, action, row) => { if (action !== keep) out.push(row); return out; }, []);
  const go = async page => {
    const some = list.slice((page - 1) * size, page * size);
    await needTexts(some);
    diff.replaceChildren(...some.map(editNode));
    drawNav(nav, page, Math.ceil(list.length / size), async p => { await go(p); byId('edits').scrollIntoView(); });
  };
  return go(1);
}

function editNode(row) {
  const action = actionOf(row), written = writtenOf(row);
  const stays = action === 'merge';
  const line = (name, sign, said, value) => el('p', { class: name }, el('span', { 'aria-hidden': 'true' }, sign), el('span', { class: 'vh' }, say(said)), address(value));
  return el('div', { class: 'edit' }, el('p', { class: 'at' }, placeOf(row) + ' ', el('span', { class: 'tag' }, (wordsNow().actions[action] || { name: action }).name)),
    line('minus', '−', 'listed', locOf(row)), written ? line(stays ? 'stays' : 'plus', stays ? '=' : '+', stays ? 'listed-already' : 'written', written) : '');
}

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
  byId('lang').addEventListener('click', () => { speak(byId('lang').querySelector('.' + root.lang).lang); keepLanguage(); draw(); show(); drawEdits(); drawReported(); });
  const all = byId('all-files');
  if (all) all.addEventListener('click', () => { byId('more-files').classList.add('open'); all.parentNode.remove(); });
  addEventListener('hashchange', () => {
    if (!location.hash.includes('=')) return;
    state = { ...stateFromHash(), z: state.z };
    draw();
    refresh().then(() => { byId('table').scrollIntoView(); byId('table').focus({ preventScroll: true }); });
  });
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
  countWords();
  countVerdicts();
  for (const node of document.querySelectorAll('.js')) node.hidden = false;
  byId('static').remove();
  if (matchMedia('(max-width: 900px)').matches) document.querySelector('.by').open = false; // nothing stands beside it
  state = stateFromHash();
  wire();
  draw();
  await refresh();
  await drawEdits();
  await loadReported();
  root.dataset.ready = 'true';
}

start();
