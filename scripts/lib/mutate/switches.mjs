// Puts all mutants of a source into it at once, each behind a switch, so that it is compiled once only. Pure.

/** @typedef {import('./mutants.mjs').Mutant} Mutant */
/** @typedef {{ number: number, mutant: Mutant }} NumberedMutant */

/** Of the global object: `(number) => boolean`, whether the mutant of this number is the one that runs. */
export const switchName = '$isMutant';

/**
 * @param {string} text
 * @param {readonly NumberedMutant[]} mutants all of this text
 * @returns {string} the same program, with as many lines before each expression, as long as every switch is off
 */
export function withSwitches(text, mutants) {
  /** @type {Map<string, Place>} */
  const places = new Map();
  for (const { number, mutant } of mutants) {
    const key = `${mutant.start}:${mutant.end}`;
    const place = places.get(key) ?? { start: mutant.start, end: mutant.end, choices: [] };
    place.choices.push({ number, replacement: mutant.replacement });
    places.set(key, place);
  }
  // What is inside another place comes after it.
  const inOrder = [...places.values()].sort((a, b) => a.start - b.start || b.end - a.end);
  return `const ${switchName} = globalThis.${switchName}; ${render(text, 0, text.length, inOrder)}`;
}

/** @typedef {{ start: number, end: number, choices: { number: number, replacement: string }[] }} Place */

/**
 * Places inside `start` to `end`; takes them off the front of `places`.
 * @param {string} text
 * @param {number} start
 * @param {number} end
 * @param {Place[]} places
 * @returns {string}
 */
function render(text, start, end, places) {
  let [out, at] = ['', start];
  for (let place = places[0]; place !== undefined && place.start < end; place = places[0]) {
    places.shift();
    out += text.slice(at, place.start);
    const choices = place.choices.map(({ number, replacement }) => `${switchName}(${number}) ? (${replacement}) : `);
    out += `(${choices.join('')}(${render(text, place.start, place.end, places)}))`;
    at = place.end;
  }
  return out + text.slice(at, end);
}
