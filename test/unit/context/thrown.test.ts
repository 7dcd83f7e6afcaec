import assert from 'node:assert/strict';
import { describeThrown } from '../../../src/context/node/worker/thrown';

describe('describeThrown', () => {
  for (const importer of ['/my ext/dist/context-worker.js', 'backline-survey:file%3A%2F%2F%2Fw%2Fp.mjs'])
    it(`does not name what of ours imported a module that is not there: ${importer}`, () => {
      const { message } = describeThrown(withoutFrames(`Cannot find module '/w/p.mjs' imported from ${importer}`));
      assert.equal(message, "Cannot find module '/w/p.mjs'");
    });

  it("names the provider's own file that imports a module that is not there", () => {
    const { message } = describeThrown(withoutFrames("Cannot find package 'x' imported from /w/p.mjs"));
    assert.equal(message, "Cannot find package 'x' imported from /w/p.mjs");
  });
});

function withoutFrames(message: string): Error {
  return Object.assign(new Error(message), { stack: undefined });
}
