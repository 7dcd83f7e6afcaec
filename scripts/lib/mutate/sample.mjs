/**
 * Some of a list, chosen by a seed: the same list, count and seed give the same answer.
 * @template T
 * @param {readonly T[]} all
 * @param {number} count
 * @param {number} seed
 * @returns {T[]} at most `count`, in the order of the list
 */
export function sample(all, count, seed) {
  const random = randomBy(seed);
  const indexes = all.map((_, index) => index);
  for (let last = indexes.length - 1; last > 0; last--) {
    const other = Math.floor(random() * (last + 1));
    [indexes[last], indexes[other]] = [indexes[other] ?? 0, indexes[last] ?? 0];
  }
  const chosen = new Set(indexes.slice(0, count));
  return all.filter((_, index) => chosen.has(index));
}

/**
 * @param {number} seed
 * @returns {() => number} numbers from 0 to below 1 (the mulberry32 generator)
 */
function randomBy(seed) {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
