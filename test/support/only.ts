interface Registering {
  readonly it: (title: string, body: Mocha.Func | Mocha.AsyncFunc) => unknown;
  readonly describe: (title: string, body: (this: Mocha.Suite) => void) => unknown;
}

/**
 * Registers tests that can run at some places only. Elsewhere they are listed as pending with the place in their titles, by
 * which the summary of a run (scripts/lib/tests/mochaSummary.mjs) tells them from tests that somebody has skipped.
 * @param place completes "only …", e.g. "on Linux"
 */
export function only(place: string, isHere: boolean): Registering {
  if (isHere) return { it, describe };
  const mark = (title: string): string => `${title} [only ${place}]`;
  return {
    it: (title, body) => it.skip(mark(title), body),
    describe: (title, body) => describe.skip(mark(title), body),
  };
}
