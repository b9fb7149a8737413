// The table of entries as it stands on the page, and what readers do with it.

const app = byId('app');
const live = el('p', { role: 'status', 'aria-live': 'polite' }), chipBox = el('div', { class: 'chips', role: 'group' });
const onlyBox = el('div', { class: 'only' }), grid = el('table', { class: 'listing', role: 'table' }), pager = el('nav', { class: 'pager' });

// shownGroups are the groups that stand open, with their page: 0 shows no more than the
// first rows. openRows are the rows that are open.
let shownGroups = new Map();
const openRows = new Set();

const groupTitle = group => group.title[root.lang] || group.title.en;
const narrowed = () => picked.q.trim() !== '' || picked.file !== '';

// inSpellings reports whether the finding of what is shown is the other spelling, and so
// the columns are of that.
const inSpellings = () => picked.lane === 'spelling' || !['reported', 'upload', 'decide'].includes(picked.lane) && hits.totals.spelling > 0 && hits.totals.upload + hits.totals.decide === 0;

// mostUnseen reports whether most of what is shown has no answer but a sentence, which wants room.
const mostUnseen = () => picked.lane === 'unseen' || picked.lane === '' && hits.totals.unseen > hits.totals.upload + hits.totals.decide;

// columnCount is how many columns there are: that of Search Console only with an export.
const columnCount = () => inSpellings() || config.console ? '4' : '3';

function toolbar() {
  const search = el('input', { type: 'search', id: 'q', placeholder: say('search-n', { n: entryCount || config.reported }), 'aria-label': say('search-n', { n: entryCount || config.reported }), autocomplete: 'off', spellcheck: 'false', dir: 'auto' });
  search.value = picked.q;
  let timer;
  const seek = () => { clearTimeout(timer); if (picked.q !== search.value) { picked.q = search.value; change(); } };
  search.addEventListener('input', () => { clearTimeout(timer); timer = setTimeout(seek, 150); });
  search.addEventListener('keydown', event => {
    if (event.key === 'Enter') seek();
    if (event.key === 'Escape') { event.preventDefault(); search.value = ''; seek(); }
  });
  const copy = button(say('copy-rows'), async () => copyText((await made(hits.order, row => wireOf(row) || locOf(row))).join('\n'), copy), { id: 'copy', class: 'btn' });
  return el('div', { class: 'find' }, search, copy, button(say('csv'), saveCSV, { id: 'csv', class: 'btn' }));
}

async function saveCSV() {
  const link = el('a', { download: 'entries.csv' });
  link.href = URL.createObjectURL(await csv());
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

// laneWord is the name of a lane. Where scripts fill the pages, nobody knows that they are clean.
const laneWord = lane => config.chips[lane] ? say('lane-' + config.chips[lane]) : say('chip-' + (lane || 'all'));

function drawChips() {
  const choose = lane => () => { Object.assign(picked, { lane, cause: '' }); change(); };
  const list = ['', ...tableLanes, 'reported'].filter(lane => hits.totals[lane]);
  chipBox.setAttribute('aria-label', say('filter'));
  keepFocus(chipBox, () => chipBox.replaceChildren(...list.map(lane => button([laneWord(lane), el('b', {}, number(hits.counts[lane]))], choose(lane),
    { class: 'chip', 'aria-pressed': String(picked.lane === lane && !picked.cause), 'data-id': 'lane-' + lane }))));
}

// drawOnly are the choices that come from elsewhere on the page: each can be taken off.
function drawOnly() {
  const only = [], off = (key, label) => only.push(button([label, el('span', { 'aria-hidden': 'true' }, ' ✕')], () => { picked[key] = ''; change(); chipBox.firstChild.focus(); }, { class: 'chip', title: say('remove') }));
  if (picked.cause) off('cause', groupTitle(config.groups[groupAt(picked.cause)]));
  if (picked.file !== '') off('file', middle(shortFile(picked.file), 60));
  onlyBox.replaceChildren(...only);
}

// tell says how many there are: where a filter hides what was searched for, how many there
// are without it.
function tell() {
  const n = hits.order.length, of = hits.totals[picked.lane], { counts } = hits, out = [];
  if (n === 0 && (of || narrowed())) {
    out.push(el('b', {}, say('none-in', { lane: laneWord(picked.lane), of })));
    const elsewhere = picked.lane !== '' && counts[''] ? '' : picked.lane !== 'reported' && counts.reported ? 'reported' : null;
    if (elsewhere !== null) out.push(' ', button(laneWord(elsewhere) + ': ' + number(counts[elsewhere]), () => { Object.assign(picked, { lane: elsewhere, cause: '' }); change(); byId('q').focus(); }, { class: 'btn s', id: 'widen' }));
  } else if (narrowed()) {
    out.push(say('found-of', { n, of }));
  } else {
    out.push(say('entries', { n }));
  }
  live.replaceChildren(...out);
}

function headRow() {
  const now = picked.sort.replace(/^-/, '') || 'place', down = picked.sort.startsWith('-');
  const sorter = (key, label) => {
    const turnOver = () => { picked.sort = now === key && !down ? '-' + key : key === 'place' ? '' : key; change(); };
    return button([label + ' ', el('span', { 'aria-hidden': 'true' }, now !== key ? '↕' : down ? '↓' : '↑')], turnOver, { 'data-id': 's-' + key, class: now === key ? 'on' : false });
  };
  const head = (name, keys, ...content) => el('th', { scope: 'col', role: 'columnheader', class: name, 'aria-sort': !keys.includes(now) ? 'none' : down ? 'descending' : 'ascending' }, ...content);
  const tail = inSpellings() ? [head('c3', [], el('span', {}, say('col-other'))), head('c4', [], el('span', {}, say('col-status')))]
    : [head('c3', ['written'], sorter('written', say('col-written'))), ...config.console ? [head('c4', ['label'], sorter('label', say('reported')))] : []];
  return el('thead', { role: 'rowgroup' }, el('tr', { role: 'row' }, head('c1', ['place', 'url'], sorter('place', say('col-file-line')), sorter('url', say('col-listed'))),
    head('c2', ['answers'], sorter('answers', say('col-status'))), ...tail));
}

// keepFocus has the element that takes the place of the focused one take the focus.
function keepFocus(box, redraw) {
  const now = document.activeElement, id = now && box.contains(now) && (now.dataset.id || now.id);
  redraw();
  const next = id && (box.querySelector('[data-id="' + CSS.escape(id) + '"]') || byId(id));
  if (next) next.focus({ preventScroll: true });
}

// draw builds what changes with the language alone.
function draw() {
  const byCause = el('input', { type: 'checkbox', id: 'by-cause' });
  byCause.checked = picked.group;
  byCause.addEventListener('change', () => { picked.group = byCause.checked; change(); });
  pager.setAttribute('aria-label', say('urls'));
  keepFocus(app, () => app.replaceChildren(toolbar(), chipBox, onlyBox, el('div', { class: 'hint' }, live, el('label', {}, byCause, ' ' + say('by-cause'))), grid, pager));
}

// change is for a new choice of the reader: from the beginning.
function change() {
  Object.assign(picked, { page: 1, open: '' });
  openRows.clear();
  return refresh().then(keepInHash);
}

async function refresh() {
  app.setAttribute('aria-busy', 'true');
  const slow = setTimeout(() => { live.textContent = '…'; }, 120);
  const done = await find();
  clearTimeout(slow);
  if (!done) return;
  shownGroups = firstGroups();
  if (!reveal()) return refresh();
  drawChips();
  drawOnly();
  tell();
  await show();
}

const sizeOf = group => hits.starts[group + 1] - hits.starts[group];

// firstGroups are those that stand open at first: what was chosen where that is one, all where
// few rows were found, else the first rows of the only one, and of the first of each lane that is
// to be done.
function firstGroups() {
  const full = config.groups.map((_, i) => i).filter(sizeOf), first = new Map();
  if (picked.cause || picked.lane && full.length === 1 || narrowed() && hits.order.length <= 50) return new Map(full.map(group => [group, 1]));
  const seen = new Set(full.length === 1 ? [] : ['clean']);
  for (const group of full) {
    const { lane } = config.groups[group];
    if (!seen.has(lane)) first.set(group, 0);
    seen.add(lane);
  }
  return first;
}

// reveal has the row that the address names shown, open. It is false where the view hides
// the row, and so was widened.
function reveal() {
  const row = picked.open ? rowAt(picked.open) : -1;
  if (row < 0) return true;
  const at = hits.order.indexOf(row), group = rows.num.group[row];
  if (at < 0) {
    picked = { ...startPicked(), open: picked.open, group: picked.group };
    byId('q').value = '';
    return false;
  }
  if (picked.group) shownGroups.set(group, 1 + Math.floor((at - hits.starts[group]) / picked.size));
  else picked.page = 1 + Math.floor(at / picked.size);
  openRows.add(row);
  return true;
}

// show shows what is open of the groups, or a page of all rows. A newer call ends it.
let shows = 0;
async function show() {
  app.setAttribute('aria-busy', 'true');
  const mine = ++shows, open = new Set(openRows), parts = picked.group ? partsByGroup() : [pageOf(0, hits.order.length, picked.page)];
  const list = parts.flatMap(part => Array.from(hits.order.subarray(part.from, part.to)));
  const details = await detailsOf(list.filter(row => open.has(row) || marksOf(row)));
  const nodes = new Map((await made(list, row => [row, rowNodes(row, details.get(row), open.has(row))])));
  if (mine !== shows) return;
  const bodies = parts.map(part => partNode(part, nodes));
  grid.className = 'listing' + (inSpellings() ? ' spellings' : config.console ? '' : ' three') + (mostUnseen() ? ' unseen' : '');
  keepFocus(app, () => {
    grid.replaceChildren(el('caption', { class: 'vh' }, say('urls')), headRow(), ...bodies);
    const go = page => { picked.page = page; show().then(keepInHash).then(() => grid.scrollIntoView()); };
    pager.replaceChildren(...picked.group ? [] : pageButtons(parts[0].page, parts[0].pages, go, 'page'));
  });
  app.removeAttribute('aria-busy');
}

// pageOf is a page of the rows between two places of hits.order.
function pageOf(start, end, page, size = picked.size) {
  const pages = Math.max(1, Math.ceil((end - start) / size)), at = Math.min(Math.max(page, 1), pages), from = start + (at - 1) * size;
  return { from, to: Math.min(from + size, end), page: at, pages };
}

// partsByGroup are the lanes and groups that there are, in order, with the rows that
// are shown of each.
function partsByGroup() {
  const parts = [];
  let lane = '';
  config.groups.forEach((group, i) => {
    if (!sizeOf(i)) return;
    if (group.lane !== lane && picked.lane === '') parts.push({ lane: group.lane, from: 0, to: 0 });
    lane = group.lane;
    const open = shownGroups.has(i), page = shownGroups.get(i), [start, end] = [hits.starts[i], hits.starts[i + 1]];
    if (!open) parts.push({ group: i, from: 0, to: 0 });
    else if (page === 0 && end - start > firstRows + 3) parts.push({ group: i, from: start, to: start + firstRows, left: end - start - firstRows });
    else parts.push({ group: i, left: 0, ...pageOf(start, end, page) });
  });
  return parts;
}

function partNode(part, nodes) {
  const list = Array.from(hits.order.subarray(part.from, part.to)).flatMap(row => nodes.get(row));
  if (part.lane) {
    const count = tableLaneCount(part.lane);
    return el('tbody', { role: 'rowgroup', class: 'k-' + part.lane }, el('tr', { role: 'row', class: 'lh' }, el('th', { role: 'rowheader', scope: 'rowgroup', colspan: columnCount() }, laneWord(part.lane) + ' ', el('b', {}, number(count)))));
  }
  if (part.group === undefined) return el('tbody', { role: 'rowgroup' }, ...list);
  return el('tbody', { role: 'rowgroup' }, groupHead(part.group), ...list, moreRow(part));
}

const tableLaneCount = lane => config.groups.reduce((sum, group, i) => sum + (group.lane === lane ? sizeOf(i) : 0), 0);

function groupHead(i) {
  const group = config.groups[i], open = shownGroups.has(i);
  const turn = () => { if (open) shownGroups.delete(i); else shownGroups.set(i, 1); return show(); };
  const pattern = group.pattern ? el('bdi', { class: 'pat', dir: 'ltr' }, ...group.pattern.flatMap(part => part[0] === '+' ? el('b', {}, ...broken(part.slice(1))) : broken(part.slice(1)))) : '';
  return el('tr', { role: 'row', class: 'gr' }, el('th', { role: 'rowheader', scope: 'rowgroup', colspan: columnCount() },
    button([chevron(), el('span', { class: 'n' }, number(sizeOf(i))), el('span', {}, el('span', { class: 't' }, groupTitle(group)), ' ', pattern)], turn,
      { 'aria-expanded': String(open), 'data-id': 'group-' + group.id })));
}

// moreRow leads on in a group: to all its rows, or to its other pages.
function moreRow(part) {
  const { group, left, page, pages } = part, go = to => { shownGroups.set(group, to); return show(); };
  const cellOf = (...content) => el('tr', { role: 'row', class: 'more-in' }, el('td', { role: 'cell', colspan: columnCount() }, ...content));
  if (left) return cellOf(button(say('more', { n: left }), () => go(1), { class: 'link', 'data-id': 'more-' + group }));
  return pages > 1 ? cellOf(el('div', { class: 'pager' }, ...pageButtons(page, pages, go, group))) : '';
}

function pageButtons(page, pages, go, id) {
  if (pages < 2 && picked.size === pageSizes[0]) return [];
  const jump = (key, to, off) => button(say(key), () => go(to), { disabled: off, class: 'btn s', 'data-id': 'page-' + key + '-' + id, 'data-nav': key });
  const size = el('select', { 'aria-label': say('page-size'), 'data-id': 'size-' + id }, ...pageSizes.map(n => el('option', { value: n, selected: n === picked.size }, number(n))));
  size.addEventListener('change', () => { picked.size = Number(size.value); go(1); });
  return [jump('prev', page - 1, page === 1), el('span', {}, page + ' / ' + pages),
    jump('next', page + 1, page === pages), el('label', {}, say('page-size') + ' ', size)];
}

function chevron() {
  const node = document.createElementNS(svg, 'svg'), path = document.createElementNS(svg, 'path');
  for (const [name, value] of [['class', 'chev'], ['viewBox', '0 0 12 12'], ['aria-hidden', 'true']]) node.setAttribute(name, value);
  path.setAttribute('d', 'M4 2l4 4-4 4');
  node.append(path);
  return node;
}

// marksOf reports whether the differences of a row stand in its details.
const marksOf = row => actionOf(row) === 'replace' || actionOf(row) === 'merge' || laneAt(row) === 'spelling';

function cell(name, label, ...children) { return el('td', { role: 'cell', class: name, 'data-l': label || false }, ...children); }

// rowNodes are a row, and under it what it shows when it is open.
function rowNodes(row, detail, open) {
  const id = 'd' + row, wire = wireOf(row), readable = text(row, 'readable');
  const sides = detail && marksOf(row) ? sidesOf(wire, detail.f || (detail.o && detail.o[0].u)) : null;
  const toggle = button(chevron(), () => {
    if (!openRows.delete(row)) openRows.add(row);
    picked.open = openRows.has(row) && !isReported(row) ? placeOf(row) : '';
    return show().then(keepInHash);
  }, { class: 'tog', 'aria-expanded': String(open), 'aria-controls': open ? id : false, 'aria-label': middle(bare(readable || locOf(row)), 80), 'data-id': 'row-' + row });
  const about = [el('span', { title: fileOf(row) }, ...broken(shortPlace(row))), !picked.group && !isReported(row) ? ' · ' + groupTitle(config.groups[rows.num.group[row]]) : ''];
  const tr = el('tr', { class: open ? 'r on' : 'r', role: 'row' },
    cell('c1', '', toggle, ...addressIn(wire || locOf(row), readable, sides && sides[0]), el('span', { class: 'sm' }, ...about)),
    cell('c2', say('col-status'), answers(statusesOf(row))), ...tailCells(row, wire, sides, detail));
  return open ? [tr, el('tr', { class: 'det', role: 'row', id }, el('td', { role: 'cell', colspan: columnCount() }, detailNode(row, detail)))] : [tr];
}

function tailCells(row, wire, sides, detail) {
  const label = labelOf(row), other = laneAt(row) === 'spelling' && detail && detail.o ? answersOf(detail.o, wire) : '';
  const spelling = sides && other ? piecesIn(sides[1]) : '–';
  if (inSpellings()) return [cell('c3', say('col-other'), spelling), cell('c4', say('col-status'), other || '–')];
  const written = other ? [say('entry-unchanged'), el('span', { class: 'sm' }, say('col-other') + ': ', spelling, ' · ' + other)] : writtenCell(row, wire, sides);
  return [cell('c3', say('col-written'), ...written), ...config.console ? [cell('c4', say('reported'), label ? labelWord(label) : '–')] : []];
}

// writtenCell is the address that is written, or what else becomes of the entry.
function writtenCell(row, wire, sides) {
  const final = finalOf(row), action = actionOf(row), ends = final && final !== wire;
  if (isReported(row)) return ends ? [say('ends-at') + ' ', shortAddress(final)] : ['–'];
  if (action === 'replace' && sides) return addressIn(writtenOf(row), '', sides[1]);
  if (action === 'merge') return [wordsNow().actions.merge, el('span', { class: 'sm' }, say('listed-already') + ': ', sides ? piecesIn(sides[1]) : shortAddress(writtenOf(row)))];
  if (action === 'drop') return [wordsNow().actions.drop];
  return [el('span', { class: 'mut' }, say('entry-unchanged')), ...ends ? [', ' + say('ends-at') + ' ', shortAddress(final)] : []];
}

// addressIn is an address in a row: its readable text first where that says more, and
// what differs, side, marked in it. What differs in the spelling alone is marked in the
// wire form, below.
function addressIn(wire, readable, side) {
  const text = readable || decoded(wire);
  if (text === wire) return [side ? piecesIn(side) : shortAddress(wire)];
  const below = (node, expert) => el('span', { class: expert ? 'wf x' : 'wf' }, node);
  if (!side) return [shortAddress(text), below(shortAddress(wire), true)];
  const read = side.map(piece => piece[0] === '~' ? '' : piece[0] + decoded(piece.slice(1)));
  if (read.every(Boolean) && !/%[89A-F]/i.test(read.join(''))) return [piecesIn(read), below(piecesIn(side), true)];
  return [sameOrigin(side) ? shortAddress(text) : address(text, longest), below(piecesIn(side))];
}

// shortPlace is the file's name and the line.
function shortPlace(row) {
  if (!fileOf(row)) return say('in-no-sitemap');
  const name = middle(shortFile(rows.num.file[row]), 60);
  return isReported(row) ? name : name + ':' + rows.num.line[row];
}
const placeOf = row => shortFile(rows.num.file[row]) + ':' + rows.num.line[row];

// answers is statuses on one line; of many the first and the last.
function answers(list) {
  const shown = list.length > 4 ? [list[0], '… ' + (list.length - 2) + ' …', list.at(-1)] : list;
  return shown.map(one => /^[a-z]/.test(one) ? faultWord(one) : one).join(' → ') || '–';
}

// answersOf is what another spelling is answered, and whether that leads back.
function answersOf(steps, wire) {
  const list = answers(steps.map(step => step.s ? String(step.s) : step.f));
  return steps.length > 1 && plainOf(steps.at(-1).u) === wire ? list + ' ↩' : list;
}

// openHash shows what the address names, and goes there.
async function openHash() {
  const named = pickedFromHash();
  if (!named || location.hash === '#entries') return false;
  picked = named;
  openRows.clear();
  draw();
  await refresh();
  const row = picked.open && app.querySelector('tr.r.on');
  (row || byId('entries')).scrollIntoView();
  (row ? row.querySelector('button') : byId('entries')).focus({ preventScroll: true });
  return true;
}

// goLinks are links of the page that lead into the table: only a script can follow them.
function goLinks() {
  for (const link of document.querySelectorAll('a[data-go]')) link.href = '#' + link.dataset.go;
}
