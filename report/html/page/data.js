// The rows: columns unpacked from the page's own text. Numbers lie in one array
// for all rows; text in bytes for each chunk, unpacked when rows of it are shown or
// searched first, and becomes strings when needed.

const config = JSON.parse(byId('config').textContent);
const rows = { count: config.rows, num: {}, chunks: [], starts: [], details: [] };
const decoder = new TextDecoder();

function bytesOf(base64) {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(base64);
  const raw = atob(base64), out = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; i++) out[i] = raw.charCodeAt(i);
  return out;
}

async function unpack(node) {
  const packed = new Blob([bytesOf(node.textContent)]);
  return new Uint8Array(await new Response(packed.stream().pipeThrough(new DecompressionStream('gzip'))).arrayBuffer());
}

// load reads the numbers of every chunk, a few at a time, and frees the text that
// they came from.
async function load() {
  const kinds = [Uint8Array, Uint16Array, Uint32Array];
  config.bytes.forEach((names, i) => names.forEach(name => { rows.num[name] = new kinds[i](rows.count); }));
  rows.details = [...document.querySelectorAll('script.details')];
  rows.texts = [...document.querySelectorAll('script.texts')];
  const nodes = [...document.querySelectorAll('script.rows')];
  rows.starts = startsOf(nodes, node => Number(node.dataset.rows));
  for (let i = 0; i < nodes.length; i += 4) {
    await Promise.all(nodes.slice(i, i + 4).map((node, j) => loadChunk(node, i + j)));
  }
}

async function loadChunk(node, chunk) {
  const n = Number(node.dataset.rows), data = await unpack(node);
  node.remove();
  let at = 0;
  config.bytes.forEach((names, i) => {
    const width = 1 << i;
    for (const name of names) {
      const part = data.slice(at, at += n * width).buffer;
      rows.num[name].set(new rows.num[name].constructor(part), rows.starts[chunk]);
    }
  });
  rows.chunks[chunk] = { n };
}

// startsOf lists the first row of each chunk, for chunks of different sizes.
function startsOf(chunks, size) {
  let n = 0;
  return chunks.map(chunk => (n += size(chunk)) - size(chunk));
}

// within is the last place in starts that is not behind row.
function within(starts, row) {
  let low = 0, high = starts.length - 1;
  while (low < high) {
    const mid = (low + high + 1) >> 1;
    if (starts[mid] <= row) low = mid; else high = mid - 1;
  }
  return low;
}

const chunkOf = row => within(rows.starts, row);

// textsOf unpacks the texts of a chunk; it is given the same promise again.
function textsOf(chunk) {
  const of = rows.chunks[chunk];
  of.unpacked ||= unpack(rows.texts[chunk]).then(data => {
    const view = new DataView(data.buffer), texts = {};
    let at = 0;
    for (const name of config.texts) {
      const size = view.getUint32(at, true);
      texts[name] = data.subarray(at + 4, at += 4 + size);
    }
    of.texts = texts;
    rows.texts[chunk].remove();
    rows.texts[chunk] = null;
  });
  return of.unpacked;
}

// needTexts waits until the texts of rows can be read.
const needTexts = list => Promise.all([...new Set(Array.from(list, chunkOf))].map(textsOf));

// made is what make returns for each row of list, in its order. It is called chunk by
// chunk: in another order, each row would have a chunk become strings anew.
async function made(list, make) {
  const out = new Array(list.length), places = rows.chunks.map(() => []);
  list.forEach((row, i) => places[chunkOf(row)].push(i));
  for (const [chunk, some] of places.entries()) {
    if (some.length) await textsOf(chunk);
    for (const i of some) {
      out[i] = make(list[i]);
      await breathe();
    }
  }
  return out;
}

// column is the lines of a text column of a chunk. The last few are kept.
const recent = new Map();
function column(chunk, name) {
  const key = chunk + name;
  let lines = recent.get(key);
  if (!lines) {
    lines = decoder.decode(rows.chunks[chunk].texts[name]).split('\n');
    if (recent.size >= 40) recent.delete(recent.keys().next().value);
    recent.set(key, lines);
  }
  return lines;
}

// text reads a column of a row whose texts are unpacked.
function text(row, name) {
  const chunk = chunkOf(row);
  return column(chunk, name)[row - rows.starts[chunk]];
}

const orSame = (value, before) => value === '=' ? before() : value;
const locOf = row => text(row, 'loc');
const wireOf = row => orSame(text(row, 'wire'), () => locOf(row));
const readableOf = row => text(row, 'readable') || wireOf(row) || locOf(row);

// decoded shows an address with its UTF-8 escapes as text; those of characters
// that cannot be seen stay escaped.
function decoded(wire) {
  return wire.replace(/(?:%[89A-Fa-f][0-9A-Fa-f])+/g, run => {
    try {
      const text = decodeURIComponent(run);
      return /[\p{C}\p{Z}\p{M}\u115f\u1160\u3164\uffa0]/u.test(text) ? run : text;
    } catch { return run; }
  });
}

const finalOf = row => orSame(text(row, 'final'), () => wireOf(row));
const writtenOf = row => orSame(text(row, 'written'), () => finalOf(row));
const verdictOf = row => config.verdicts[rows.num.verdict[row]];
const actionOf = row => config.actions[rows.num.action[row]];
const statusesOf = row => config.statuses[rows.num.statuses[row]].split(' ').filter(Boolean);
const reasonsOf = row => config.reasons[rows.num.reasons[row]].split(' ').filter(Boolean);
const notesOf = row => config.notes[rows.num.notes[row]].split(' ').filter(Boolean);

// fileOf is the sitemap that lists a row, '' for an address that none lists.
const fileOf = row => config.files[rows.num.file[row]] || '';
const isReported = row => row < config.reported;

// shortFile is the name of a file, or its whole address where another has that name.
const shortFile = (() => {
  const names = config.files.map(url => url.replace(/^.*\/(?=[^/])/, '')), seen = {};
  for (const name of names) seen['/' + name] = (seen['/' + name] || 0) + 1;
  return i => seen['/' + names[i]] > 1 ? config.files[i] : names[i];
})();

// labelOf is Search Console's English name for what was seen, or ''; of a reported address
// that which Google gave.
function labelOf(row) {
  if (isReported(row)) return config.googles[rows.num.reported[row]];
  const verdict = verdictOf(row), status = rows.num.status[row];
  if (verdict !== 'error') return config.labels[verdict] || '';
  if (status >= 500) return 'Server error (5xx)';
  return status >= 400 ? 'URL blocked due to other 4xx issue' : 'Redirect error';
}

// detailOf is what a row shows when it is opened; chunks of details are
// unpacked on the first use, and the last few kept.
const opened = new Map();
async function detailOf(row) {
  const chunk = chunkOf(row);
  if (!opened.has(chunk)) {
    if (opened.size >= 4) opened.delete(opened.keys().next().value);
    opened.set(chunk, unpack(rows.details[chunk]).then(data => decoder.decode(data).split('\n')));
  }
  const line = (await opened.get(chunk))[row - rows.starts[chunk]];
  const detail = line ? JSON.parse(line) : {};
  return detail.t ? detail : { ...plainDetail(row), ...detail };
}

// detailsOf is the details of rows, by row; each chunk is unpacked once.
async function detailsOf(list) {
  const out = new Map();
  await needTexts(list);
  for (const row of Uint32Array.from(list).sort()) out.set(row, await detailOf(row));
  return out;
}

function plainDetail(row) {
  if (!rows.num.status[row]) return {};
  return { t: [{ u: ['=' + wireOf(row)], r: text(row, 'readable'), s: rows.num.status[row], m: rows.num.ms[row] }] };
}

// breathe lets the page answer its reader when a slice of work took long.
let sliceEnds = 0;
async function breathe() {
  if (performance.now() < sliceEnds) return;
  await new Promise(done => setTimeout(done));
  sliceEnds = performance.now() + 24;
}
