/**
 * Makes a test fail when a session tells its readers what is not the normal form, whatever the test is about. What comes
 * behind the end of a test fails the next one, and says where it came from.
 * @param {import('mocha')} mocha with its tests loaded
 */
export function failOnViolations(mocha) {
  /** @type {Error[]} */
  const found = [];
  globalThis.backlineViolation = ({ rule, event, index }) => {
    found.push(new Error(`A session breaks "${rule}" by event ${index}: ${JSON.stringify(event).slice(0, 500)}`));
  };
  const check = () => {
    const [first] = found.splice(0);
    if (first) throw first;
  };
  mocha.suite.eachTest((test) => {
    const { fn } = test;
    // One that takes a callback has its own way to end.
    if (!fn || fn.length > 0) return;
    test.fn = /** @this {import('mocha').Context} */ async function () {
      /** @type {unknown} */
      const result = Reflect.apply(fn, this, []);
      await result;
      check();
    };
  });
  mocha.suite.afterAll('every session keeps its normal form', check);
}
