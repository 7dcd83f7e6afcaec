// A test file that fails runs a second time, and its second run is its result: a window that was slow once says nothing
// about the code. What failed in the first run only is reported as flaky.

/** @typedef {import('./summary.mjs').FileResult} FileResult */
/** @typedef {import('./summary.mjs').Summary} Summary */

const unfinished = 'it did not finish';

/** @param {FileResult} result */
export function hasFailed({ failures, pending }) {
  return failures + pending > 0;
}

/**
 * @param {readonly string[]} files that were to run
 * @param {ReadonlyMap<string, FileResult>} seen the results of those that have run, in that order
 * @param {boolean} ended whether the run has finished; if not, nor has the last file that was seen
 * @returns {FileResult[]} one for each of `files`, and what no file of these accounts for
 */
export function resultsOf(files, seen, ended) {
  const last = [...seen.keys()].at(-1);
  const expected = files.map((file) => {
    const result = ended || file !== last ? seen.get(file) : undefined;
    return result ?? resultOfFile(file, undefined, 0);
  });
  return [...expected, ...[...seen.values()].filter(({ file }) => !files.includes(file))];
}

/**
 * @param {string} file
 * @param {Summary | undefined} summary of a run of this file alone; undefined if the run did not finish
 * @param {number} seconds how long the run took
 * @returns {FileResult}
 */
export function resultOfFile(file, summary, seconds) {
  if (!summary)
    return { file, seconds, passes: 0, failures: 1, pending: 0, failed: [{ title: file, error: unfinished }] };
  const { passes, failures, pending, files } = summary;
  return { file, seconds, passes, failures, pending, failed: files.flatMap(({ failed }) => failed) };
}

/**
 * @param {readonly FileResult[]} first
 * @param {readonly FileResult[]} second of the files that ran again
 * @returns {Summary}
 */
export function combineRuns(first, second) {
  const again = new Map(second.map((result) => [result.file, result]));
  const files = first.map((result) => {
    const repeated = again.get(result.file);
    return repeated ? { ...repeated, seconds: result.seconds + repeated.seconds } : result;
  });
  const flaky = first.flatMap(({ file, failed }) => {
    const result = again.get(file);
    if (!result) return [];
    const failedAgain = result.failed.map(({ title }) => title);
    return failed.filter(({ title }) => !failedAgain.includes(title)).map((test) => `${file}: ${causeOf(file, test)}`);
  });
  return { ...countsOf(files), files, flaky };
}

/**
 * @param {readonly FileResult[]} files
 * @returns {Pick<Summary, 'passes' | 'failures' | 'pending' | 'failed'>}
 */
export function countsOf(files) {
  /** @param {'passes' | 'failures' | 'pending'} name */
  const sum = (name) => files.reduce((total, file) => total + file[name], 0);
  return {
    passes: sum('passes'),
    failures: sum('failures'),
    pending: sum('pending'),
    failed: files.flatMap(({ failed }) => failed.map(({ title, error }) => `${title}: ${error}`)),
  };
}

/**
 * @param {Summary} summary
 * @returns {string[]} lines for the terminal
 */
export function describeSummary({ passes, failures, pending, failed, files, flaky = [] }) {
  const counts = [`${passes} passing`, `${failures} failing`, ...(pending > 0 ? [`${pending} skipped`] : [])];
  return [
    ...describeSeconds(files),
    counts.join(', '),
    ...failed.map((test) => `  ${test}`),
    ...flaky.map((test) => `flaky: ${test}`),
  ];
}

/**
 * @param {readonly FileResult[]} files
 * @returns {string[]} lines for the terminal
 */
function describeSeconds(files) {
  const line = (/** @type {number} */ seconds, /** @type {string} */ what) =>
    `${seconds.toFixed(1).padStart(7)} ${what}`;
  const slow = files.filter(({ seconds }) => seconds >= 1).sort((a, b) => b.seconds - a.seconds);
  const others = files.filter(({ seconds }) => seconds < 1);
  const otherSeconds = others.reduce((total, { seconds }) => total + seconds, 0);
  return [
    'Seconds per test file, slowest first:',
    ...slow.map(({ seconds, file }) => line(seconds, file)),
    ...(others.length > 0 ? [line(otherSeconds, `all other files (${others.length})`)] : []),
  ];
}

/**
 * The title and the first line of the error, because the second run no longer shows why the test failed.
 * @param {string} file
 * @param {import('./summary.mjs').FailedTest} test
 */
function causeOf(file, { title, error }) {
  const [firstLine = ''] = error.trim().split('\n');
  return title === file ? firstLine : `${title}: ${firstLine.trimEnd()}`;
}
