// Which rows are shown: the state that stands in #hash, filter, search, sort.

const pageSizes = [50, 100, 250, 500, 1000];
let state, order = new Uint32Array(0), turn = 0;

const startState = () => ({ g: config.needYou ? 'needs-you' : '', v: [], r: [], n: [], a: '', f: '', c: '', q: '', s: '', d: '', p: 1, z: 50 });

function stateFromHash() {
  const hash = location.hash.slice(1), read = new URLSearchParams(hash);
  if (!hash.includes('=') || [...read.keys()].every(key => key === 'lang')) return startState();
  const list = key => (read.get(key) || '').split(',').filter(Boolean);
  const size = Number(read.get('z')), at = key => /^\d+$/.test(read.get(key)) ? read.get(key) : '';
  return { ...startState(), g: read.get('g') || '', v: list('v'), r: list('r'), n: list('n'), a: read.get('a') || '', f: at('f'), c: at('c'),
    q: read.get('q') || '', s: Object.hasOwn(sortKeys, read.get('s')) ? read.get('s') : '', d: read.get('d') || '', p: Math.max(1, Math.floor(read.get('p')) || 1), z: pageSizes.includes(size) ? size : 50 };
}

function keepInHash() {
  const out = new URLSearchParams(), plain = { p: 1, z: 50 };
  for (const [key, value] of Object.entries(state)) {
    const said = Array.isArray(value) ? value.join(',') : value;
    if (said !== '' && said !== plain[key]) out.set(key, said);
  }
  if (![...out.keys()].length) out.set('g', '');
  out.set('lang', root.lang);
  history.replaceState(null, '', '#' + out);
}

// allowed turns a choice of words into a table of which sets of words hold one.
function allowed(sets, chosen) {
  if (!chosen.length) return null;
  return sets.map(set => set.split(' ').some(word => chosen.includes(word)));
}

// matcher is a test of a row's numbers for the present state.
function matcher() {
  const { verdict, group, action, reasons, notes, file } = rows.num, tests = [];
  const index = (list, word) => list.indexOf(word);
  if (state.g) { const g = index(config.groups, state.g); tests.push(row => group[row] === g); }
  if (state.a) { const a = index(config.actions, state.a); tests.push(row => action[row] === a); }
  if (state.v.length) { const ok = config.verdicts.map(v => state.v.includes(v)); tests.push(row => ok[verdict[row]]); }
  if (state.f !== '') { const f = Number(state.f); tests.push(row => file[row] === f); }
  const reasonOK = allowed(config.reasons, state.r), noteOK = allowed(config.notes, state.n);
  if (reasonOK) tests.push(row => reasonOK[reasons[row]]);
  if (noteOK) tests.push(row => noteOK[notes[row]]);
  const cause = config.causes[state.c];
  if (state.c !== '' && cause) { const n = Number(state.c) + 1; tests.push(row => rows.num.cause[row] === n); }
  return tests.length === 1 ? tests[0] : row => tests.every(test => test(row));
}

// searched tells which rows of a chunk hold the query, in wire form or readable.
function searched(chunk, query) {
  const columns = config.texts.map(name => column(chunk, name));
  return i => columns.some(lines => lines[i].length >= query.length && lines[i].toLowerCase().includes(query));
}

// find sets order to the rows of the present state. A newer call ends it.
async function find() {
  const mine = ++turn, match = matcher(), query = state.q.trim().toLowerCase(), found = new Uint32Array(rows.count);
  let n = 0;
  for (let chunk = 0; chunk < rows.chunks.length; chunk++) {
    const base = rows.starts[chunk], size = rows.chunks[chunk].n;
    if (query) await textsOf(chunk);
    const holds = query ? searched(chunk, query) : null;
    for (let i = 0; i < size; i++) {
      if (match(base + i) && (!holds || holds(i))) found[n++] = base + i;
    }
    await breathe();
    if (mine !== turn) return false;
  }
  const sorted = state.s ? await sort(found.slice(0, n), mine) : found.slice(0, n);
  if (mine !== turn) return false;
  order = sorted;
  return true;
}

const sortKeys = {
  verdict: row => rows.num.verdict[row], url: row => wireOf(row) || locOf(row), final: finalOf,
  status: row => config.statuses[rows.num.statuses[row]], ms: row => rows.num.ms[row],
};

const sortTexts = ['url', 'final'];

// sort is a merge sort that stops for breath: a million addresses take seconds.
async function sort(list, mine) {
  const key = sortKeys[state.s] || sortKeys.verdict, sign = state.d === 'desc' ? -1 : 1, keys = new Array(list.length);
  for (let i = 0; i < list.length; i++) {
    if (sortTexts.includes(state.s) && !rows.chunks[chunkOf(list[i])].texts) await textsOf(chunkOf(list[i]));
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

// csv is the rows of order as a table for spreadsheets: a cell that would be
// calculated begins with an apostrophe.
async function csv() {
  const cell = value => {
    let s = String(value);
    if (/^[=+\-@\t\r＝＋－＠]/.test(s)) s = "'" + s;
    return /[",\r\n]|^ /.test(s) ? '"' + s.replaceAll('"', '""') + '"' : s;
  };
  const head = 'sitemap,line,url,readable_url,verdict,reasons,status,redirects,statuses,final_url,final_status,fix,written,search_console,notes';
  const lines = await made(order, row => {
    const answers = statusesOf(row);
    return [config.files[rows.num.file[row]], rows.num.line[row], wireOf(row) || locOf(row), readableOf(row), verdictOf(row), reasonsOf(row).join(' '),
      answers[0] || '', rows.num.hops[row], answers.join(' '), finalOf(row), rows.num.status[row] || '', actionOf(row), writtenOf(row), labelOf(row), notesOf(row).join(' ')]
      .map(cell).join(',') + '\r\n';
  });
  return new Blob(['\ufeff' + head + '\r\n', ...lines], { type: 'text/csv' });
}
