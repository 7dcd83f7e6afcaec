// What a run says. Pure.

/** @typedef {import('./mutants.mjs').Mutant} Mutant */
/** @typedef {import('./trials.mjs').Verdict} Verdict */

/** @type {Readonly<Record<import('./mutants.mjs').MutantKind, string>>} */
const names = {
  guard: 'guard that never holds',
  condition: 'condition with one outcome',
  operand: 'operand left out',
  boundary: 'boundary moved',
  result: 'result whatever was asked',
};

/**
 * @param {Mutant} mutant
 * @param {boolean} isReached
 */
export function describeSurvivor({ file, line, kind, original, replacement }, isReached) {
  const note = isReached ? '' : ' (no test reaches it)';
  return `${file}:${line}  ${names[kind]}${note}\n    - ${onOneLine(original)}\n    + ${onOneLine(replacement)}`;
}

/** @param {readonly Verdict[]} verdicts */
export function describeScore(verdicts) {
  const count = (/** @type {Verdict['outcome']} */ wanted) =>
    verdicts.filter(({ outcome }) => outcome === wanted).length;
  const noticed = count('killed') + count('timedOut');
  const score = verdicts.length === 0 ? '100' : ((100 * noticed) / verdicts.length).toFixed(0);
  return (
    `${verdicts.length} mutants, ${count('killed')} killed, ${count('survived')} survived, ` +
    `${count('timedOut')} timed out, score ${score} %`
  );
}

/** @param {string} text */
function onOneLine(text) {
  return text.replace(/\s+/g, ' ');
}
