// What a row shows when it is opened.

const marks = { '~': 'mark', '+': 'ins', '-': 'del' };

// pieces is an address with its differences marked; each comes as one string,
// mark first.
function pieces(list) {
  return el('bdi', { class: 'u', dir: 'ltr' }, ...list.flatMap(piece => {
    const tag = marks[piece[0]], lines = broken(piece.slice(1));
    return tag ? el(tag, {}, ...lines) : lines;
  }));
}

// newPieces is pieces without those that others took the place of.
const newPieces = list => list.filter((piece, i) => piece[0] !== '-' || (list[i + 1] || '=')[0] !== '+');

// sidesOf takes the pieces of an address against wire apart: those of wire, and those of
// the address. The same bytes in two spellings stand in both, as each spells them.
function sidesOf(wire, list) {
  if (!list) return null;
  const sides = [[], []], unit = /%[0-9A-Fa-f]{2}|[^]/g;
  let at = 0;
  for (const piece of list) {
    if (piece[0] !== '+') {
      const rest = wire.slice(at), was = piece[0] === '~' ? (rest.match(unit) || []).slice(0, piece.slice(1).match(unit).length).join('') : piece.slice(1);
      sides[0].push(piece[0] + was);
      at += was.length;
    }
    if (piece[0] !== '-') sides[1].push(piece);
  }
  return sides;
}

// bare leaves the site's own origin out.
const bare = url => config.origin && url.startsWith(config.origin + '/') ? url.slice(config.origin.length) : url;

// shortAddress is an address in a row: without the site's origin, and no longer than one
// can read.
const longest = 160;
const shortAddress = url => address(bare(url), longest);

// sameOrigin reports whether an address in pieces has the site's origin, unchanged.
const sameOrigin = ([first]) => first[0] === '=' && bare(first.slice(1)) !== first.slice(1);

// piecesIn is pieces in a row: without the site's origin where that did not change, and
// long ones without their middle.
function piecesIn(list) {
  const [first, ...rest] = list, own = first && first[0] === '=' ? ['=' + bare(first.slice(1)), ...rest] : list;
  const length = own.reduce((sum, piece) => sum + piece.length - 1, 0), share = Math.max(16, Math.floor(longest / own.length));
  if (length <= longest) return pieces(own);
  const few = own.length <= 12 ? own : [...own.slice(0, 8), '=…', ...own.slice(-3)], node = pieces(few.map(piece => piece[0] + middle(piece.slice(1), share)));
  node.title = middle(own.map(piece => piece.slice(1)).join(''), 600);
  return node;
}

const plainOf = list => list.filter(piece => piece[0] !== '-').map(piece => piece.slice(1)).join('');

function remarks(step) {
  return [
    step.f && faultWord(step.f), step.d, step.c && say('challenge', { name: step.c }),
    step.b && 'robots.txt:' + step.n + ' ' + step.b, step.k, 
    step.l && 'Location: ' + step.l,
  ].filter(Boolean).join(' · ');
}

// took is the time of an answer; without one there is none.
const took = (ms, status) => ms ? number(ms) + ' ms' : status ? '<1 ms' : '';

function stepItem(step, i) {
  const small = remarks(step);
  return el('li', {},
    el('span', { class: 'no' }, String(i + 1)),
    el('span', { class: 'st' }, step.s ? String(step.s) : '–'),
    el('span', { class: 'where' }, pieces(newPieces(step.u)),
      step.r ? el('span', { class: 'sm x' }, say('reads-as') + ' ', address(step.r)) : '',
      small ? el('span', { class: 'sm' }, el('bdi', {}, small)) : ''),
    el('span', { class: 'ms x' }, took(step.m, step.s)));
}

const trailList = steps => el('ol', { class: 'trail' }, ...steps.map(stepItem));

// indexText is what Google's index says of an entry.
function indexText(google) {
  if (google.f) return google.f;
  return [google.s && labelWord(google.s), google.l || say('google-never'), google.a && say('agrees-' + google.a)].filter(Boolean).join(' · ');
}

// evidence is what Google's index says of an entry, as facts.
function evidence(detail) {
  const { gi: google = {} } = detail;
  return [
    [say('google-index'), detail.gi ? [indexText(google)] : []],
    [say('google-canonical'), google.c && google.c !== '=' ? [address(google.c)] : []],
  ];
}

// facts is the list under a trail: a term, what is said of it, and whether that is for
// experts. Of what is to be done there is one advice, that of the decision.
function facts(row, detail) {
  const verdict = verdictOf(row), words = verdictWords(verdict), notes = notesOf(row).map(noteWords);
  const decided = config.decided[rows.num.decided[row]], lane = laneAt(row);
  const what = lane === 'upload' || lane === 'clean' ? '' : words.what, because = whyWord(detail, wordsNow()), why = because === what ? '' : because;
  const advice = detail.g ? inLang(detail.g) : ['decide', 'spelling', 'unseen'].includes(lane) && inLang(decided);
  return [
    [say('written'), writtenFact(row, detail)],
    [say('why'), why && !isReported(row) ? [why] : []],
    [say('what'), what ? rich(what) : []],
    [say('do'), advice ? advised(advice) : []],
    [say('difference'), [reasonsOf(row).map(reason => reasonWords(reason)).join(' · ')], true],
    [say('by-note'), notes.map(note => el('div', {}, ...rich(note.what))), true],
    ...evidence(detail),
    ['canonical', detail.c ? [pieces(detail.c)] : []],
    ['robots', detail.r ? [detail.r] : []],
    ['title', detail.h ? [el('bdi', {}, middle(detail.h, 300))] : [], true],
    [say('last-crawled'), detail.gc ? [detail.gc] : []],
    [say('crawled-at'), detail.a ? [detail.a] : [], true],
  ].filter(([, said]) => said.some(Boolean));
}

// writtenFact is what stands in the corrected sitemap for the entry.
function writtenFact(row, detail) {
  const action = actionOf(row), written = writtenOf(row);
  if (isReported(row) || action === 'keep' && laneAt(row) === 'clean') return [];
  if (action === 'drop') return [wordsNow().actions.drop];
  if (action === 'keep' || !written) return [say('entry-unchanged')];
  return [action === 'merge' ? wordsNow().actions.merge + ' (' + say('listed-already') + '): ' : '', address(written)];
}

// detailNode is the opened row.
function detailNode(row, detail) {
  const loc = locOf(row), wire = wireOf(row), box = el('div', { class: 'detail' });
  if (loc !== wire) box.append(el('p', { class: 'x' }, el('span', { class: 'k' }, say('col-listed')), ' ', address(loc)));
  if (detail.x) box.append(el('p', {}, el('span', { class: 'k' }, say('syntax')), ' ', detail.x));
  if (detail.t) box.append(trailList(detail.t));
  if (detail.o) {
    box.append(el('p', { class: 'k' }, say('col-other')), trailList(detail.o));
  }
  const said = facts(row, detail).flatMap(([term, parts, expert]) => [el('dt', { class: expert && 'x' }, term), el('dd', { class: expert && 'x' }, ...parts)]);
  if (said.length) box.append(el('dl', { class: 'kv' }, ...said));
  const foot = el('p', { class: 'pager' }, copyButton('copy-listed', wire || loc));
  if (writtenOf(row) && actionOf(row) !== 'keep') foot.append(copyButton('copy-written', writtenOf(row)));
  box.append(foot);
  return box;
}
