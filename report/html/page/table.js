// Which rows are shown: the state that stands in #hash, filter, search, order, groups.

const pageSizes = [50, 100, 250, 500, 1000];
const firstRows = 5; // of a group that was not opened by hand
const tableLanes = config.lanes; // those of the causes, then what has none
const entryCount = config.rows - config.reported; // entries; the rows before them are addresses of an export

// picked is what the reader chose to see; hits is what there is of it.
const startPicked = () => ({ lane: entryCount || !config.reported ? '' : 'reported', cause: '', file: '', q: '', sort: '', group: true, open: '', page: 1, size: 50 });
let picked = startPicked();
const hits = {
  order: new Uint32Array(0), // rows of the picked, those of a group next to each other
  starts: new Uint32Array(config.groups.length + 1), // of each group in order
  counts: {}, // rows by lane, '' for all, of what is searched, whatever lane was chosen
  totals: {}, // rows by lane, whatever is searched
};
let turn = 0;

const groupAt = id => Object.hasOwn(config.folded, id) ? config.folded[id] : config.groups.findIndex(group => group.id === id);
const laneAt = row => config.groups[rows.num.group[row]].lane;
const laneSpan = () => picked.lane === 'reported' ? [0, config.reported] : [config.reported, rows.count];

const sortKeys = {
  place: null, url: row => wireOf(row) || locOf(row), answers: row => config.statuses[rows.num.statuses[row]],
  written: writtenOf, label: labelOf,
};
if (!config.console) delete sortKeys.label;
const sortTexts = ['url', 'written'];

// pickedFromHash is the picked that an address names, null where it names none.
function pickedFromHash() {
  const read = new URLSearchParams(location.hash.slice(1)), to = startPicked();
  if (!read.has('entries')) return null;
  const cause = groupAt(read.get('cause') || ''), file = read.get('file') || '', sort = read.get('sort') || '';
  if (['reported', ...tableLanes].includes(read.get('lane'))) to.lane = read.get('lane');
  if (cause >= 0) [to.cause, to.lane] = [config.groups[cause].id, config.groups[cause].lane];
  if (/^\d{1,9}$/.test(file) && Number(file) < config.files.length) to.file = Number(file);
  if (Object.hasOwn(sortKeys, sort.replace(/^-/, ''))) to.sort = sort;
  const size = Number(read.get('size')), page = Math.floor(Number(read.get('page')));
  if (pageSizes.includes(size)) to.size = size;
  return { ...to, q: read.get('q') || '', group: read.get('group') !== '0', open: read.get('open') || '', page: page > 0 ? page : 1 };
}

// keepInHash writes the picked into the address; what others keep there stays.
function keepInHash() {
  const now = new URLSearchParams(location.hash.slice(1)), out = new URLSearchParams(), plain = startPicked();
  for (const key of Object.keys(plain)) {
    if (picked[key] !== plain[key]) out.set(key, picked[key] === false ? '0' : picked[key]);
  }
  for (const key of ['view', 'lang']) if (now.get(key)) out.set(key, now.get(key));
  const said = out.toString();
  history.replaceState(null, '', '#entries' + (said && '&' + said));
}

// searched tells which rows of a chunk hold the query, as written, on the wire, in
// readable text, at the end or in what is written.
function searched(chunk, query) {
  const columns = config.texts.map(name => column(chunk, name));
  return i => columns.some(lines => lines[i].length >= query.length && lines[i].toLowerCase().includes(query));
}

// find sets hits to the rows of the picked. A newer call ends it.
async function find() {
  const mine = ++turn, query = picked.q.trim().toLowerCase(), list = new Uint32Array(rows.count), { group, file } = rows.num;
  const laneOf = config.groups.map(x => ['', ...tableLanes, 'reported'].indexOf(x.lane)), wanted = ['', ...tableLanes, 'reported'].indexOf(picked.lane);
  const cause = picked.cause ? groupAt(picked.cause) : -1, [from, to] = laneSpan(), tally = new Uint32Array(tableLanes.length + 2);
  let n = 0;
  for (let chunk = 0; chunk < rows.chunks.length; chunk++) {
    const base = rows.starts[chunk], size = rows.chunks[chunk].n;
    if (query) await textsOf(chunk);
    const holds = query ? searched(chunk, query) : null;
    for (let i = 0, row = base; i < size; i++, row++) {
      if (picked.file !== '' && file[row] !== picked.file || holds && !holds(i)) continue;
      const lane = laneOf[group[row]];
      tally[lane]++;
      if (row >= from && row < to && (!wanted || lane === wanted) && (cause < 0 || group[row] === cause)) list[n++] = row;
    }
    await breathe();
    if (mine !== turn) return false;
  }
  const key = picked.sort.replace(/^-/, '');
  let sorted = list.subarray(0, n);
  if (sortKeys[key]) sorted = await sort(sorted, key, mine);
  else if (picked.sort === '-place') sorted.reverse();
  if (mine !== turn) return false;
  tally.forEach((n, lane) => { hits.counts[['', ...tableLanes, 'reported'][lane]] = n; });
  hits.counts[''] = tableLanes.reduce((sum, lane) => sum + hits.counts[lane], 0);
  if (!hits.totals.set) countTotals(laneOf);
  hits.starts = startsOfGroups(sorted);
  hits.order = picked.group ? byGroup(sorted, hits.starts) : sorted;
  return true;
}

// countTotals counts the rows of each lane, once.
function countTotals(laneOf) {
  const tally = new Uint32Array(tableLanes.length + 2);
  const { group } = rows.num;
  for (let row = 0; row < rows.count; row++) tally[laneOf[group[row]]]++;
  tally.forEach((n, lane) => { hits.totals[['', ...tableLanes, 'reported'][lane]] = n; });
  hits.totals[''] = entryCount;
  hits.totals.set = true;
}

function startsOfGroups(list) {
  const starts = new Uint32Array(config.groups.length + 1);
  const { group } = rows.num;
  for (let i = 0; i < list.length; i++) starts[group[list[i]] + 1]++;
  for (let i = 1; i < starts.length; i++) starts[i] += starts[i - 1];
  return starts;
}

// byGroup puts the rows of each group together, in the order of list.
function byGroup(list, starts) {
  const out = new Uint32Array(list.length), next = starts.slice(), { group } = rows.num;
  for (let i = 0; i < list.length; i++) out[next[group[list[i]]]++] = list[i];
  return out;
}

// sort is a merge sort that stops for breath: a million addresses take seconds.
async function sort(list, by, mine) {
  const key = sortKeys[by], sign = picked.sort.startsWith('-') ? -1 : 1, keys = new Array(list.length);
  for (let i = 0; i < list.length; i++) {
    if (sortTexts.includes(by) && !rows.chunks[chunkOf(list[i])].texts) await textsOf(chunkOf(list[i]));
    keys[i] = key(list[i]);
    if (i % 4096 === 0) { await breathe(); if (mine !== turn) return list; }
  }
  const less = (a, b) => keys[a] === keys[b] ? a < b : (keys[a] < keys[b]) === (sign > 0);
  let from = Uint32Array.from(list, (_, i) => i), to = new Uint32Array(list.length);
  for (let width = 1; width < list.length; width *= 2) {
    for (let start = 0; start < list.length; start += 2 * width) {
      mergeRuns(from, to, start, Math.min(start + width, list.length), Math.min(start + 2 * width, list.length), less);
      if (start % 1024 === 0) { await breathe(); if (mine !== turn) return list; }
    }
    [from, to] = [to, from];
  }
  return from.map(i => list[i]);
}

function mergeRuns(from, to, start, middleAt, end, less) {
  let a = start, b = middleAt;
  for (let i = start; i < end; i++) {
    to[i] = a < middleAt && (b >= end || !less(from[b], from[a])) ? from[a++] : from[b++];
  }
}

// rowAt is the row that FILE:LINE names, by the whole address of the file or by its name;
// -1 for none.
function rowAt(place) {
  const [, name, line] = /^(.*):(\d+)$/s.exec(place) || [], n = Number(line);
  if (!name) return -1;
  const files = new Set(config.files.flatMap((url, i) => url === name || shortFile(i) === name ? [i] : []));
  for (let row = config.reported; row < rows.count; row++) if (rows.num.line[row] === n && files.has(rows.num.file[row])) return row;
  return -1;
}

// csv is the rows of hits.order as a table for spreadsheets: a cell that would be
// calculated begins with an apostrophe.
async function csv() {
  const cell = value => {
    let s = String(value);
    if (/^[=+\-@\t\r＝＋－＠]/.test(s)) s = "'" + s;
    return /[",\r\n]|^ /.test(s) ? '"' + s.replaceAll('"', '""') + '"' : s;
  };
  const head = 'sitemap,line,url,readable_url,verdict,reasons,status,redirects,statuses,final_url,final_status,fix,written,search_console,notes';
  const lines = await made(hits.order, row => {
    const answers = statusesOf(row).map(one => one.replace(/\(.*/, ''));
    return [fileOf(row), rows.num.line[row] || '', wireOf(row) || locOf(row), readableOf(row), verdictOf(row), reasonsOf(row).join(' '),
      answers[0] || '', rows.num.hops[row], answers.join(' '), finalOf(row), rows.num.status[row] || '', actionOf(row), writtenOf(row), labelOf(row), notesOf(row).join(' ')]
      .map(cell).join(',') + '\r\n';
  });
  return new Blob(['\ufeff' + head + '\r\n', ...lines], { type: 'text/csv' });
}
