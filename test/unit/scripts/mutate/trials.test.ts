import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { switchName } from '../../../../scripts/lib/mutate/switches.mjs';
import { Trials } from '../../../../scripts/lib/mutate/trials.mjs';
import { listProcesses } from '../../../../scripts/lib/processes.mjs';

const program = `
  const is = globalThis.${switchName};
  const atLoad = is(5) ? 'changed' : 'as ever';
  const assert = require('node:assert');
  let loads = 0;
  describe('unit', () => {
    it('notices 0', () => assert.ok(!is(0)));
    it('reaches 1 and does not look', () => void is(1));
    it('hangs with 2', () => { while (is(2)); });
    it('waits for ever with 3', () => new Promise((resolve) => { if (!is(3)) resolve(); }));
    it('begins', () => { loads++; });
    it('needs the test before', () => { is(4); assert.equal(loads, 1); });
    it('looks at what was loaded', () => assert.equal(atLoad, 'as ever'));
    it('leaves something open', () => { if (is(6)) setInterval(() => {}, 1000); });
    it('ends the process', () => { if (is(7)) process.exit(0); });
    it('fails by itself', () => { is(8); assert.fail(); });
  });
`;

async function children(): Promise<readonly number[]> {
  return (await listProcesses()).filter(({ parent }) => parent === process.pid).map(({ pid }) => pid);
}

async function childrenSince(others: readonly number[]): Promise<readonly number[]> {
  return (await children()).filter((pid) => !others.includes(pid));
}

describe('trials of mutants', () => {
  let folder: string;
  let trials: Trials;
  let said: string[];
  let others: readonly number[];
  let candidates: { test: string; bundle: string; sources: string[] }[];

  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'backline-trials-'));
    const bundle = path.join(folder, 'unit.test.js');
    await writeFile(bundle, program);
    candidates = [{ test: 'unit.test.ts', bundle, sources: [] }];
    said = [];
    others = await children();
    trials = new Trials(process.env, (text) => said.push(text));
  });
  after(async () => {
    await trials.stop();
    await rm(folder, { recursive: true, force: true });
  });

  const judge = (mutant: number) => trials.judge(mutant, { own: candidates, others: [] });

  it('tell which test kills a mutant', async () => {
    assert.deepEqual(await judge(0), { outcome: 'killed', by: 'unit notices 0' });
    assert.deepEqual(await judge(5), { outcome: 'killed', by: 'unit looks at what was loaded' });
  });

  it('tell a mutant that no test notices from one that no test reaches', async () => {
    assert.deepEqual(await judge(1), { outcome: 'survived', isReached: true });
    assert.deepEqual(await judge(99), { outcome: 'survived', isReached: false });
  });

  it('ask the tests of other features only about what its own do not reach', async () => {
    const other = path.join(folder, 'other.test.js');
    const looks = (number: number) => `it('notices ${number}', () => require('node:assert').ok(!is(${number})));`;
    await writeFile(other, `const is = globalThis.${switchName}; ${looks(1)} ${looks(50)}`);
    const others = [{ test: 'other.test.ts', bundle: other, sources: [] }];
    assert.equal((await trials.judge(1, { own: candidates, others })).outcome, 'survived');
    assert.equal((await trials.judge(50, { own: candidates, others })).outcome, 'killed');
  });

  it('end a test that waits for ever, and a process that loops', async () => {
    assert.deepEqual(await judge(3), { outcome: 'timedOut', by: 'unit waits for ever with 3' });
    assert.equal((await judge(2)).outcome, 'timedOut');
    assert.equal((await judge(0)).outcome, 'killed');
  });

  it('take the end of the process for a test that failed, and continue in another', async () => {
    assert.equal((await judge(7)).outcome, 'killed');
    assert.equal((await judge(0)).outcome, 'killed');
  });

  it('do not blame a mutant for a test that needs the ones before it', async () => {
    assert.deepEqual(await judge(4), { outcome: 'survived', isReached: true });
  });

  it('are not reached by tests that fail without any mutant, and say so', async () => {
    assert.deepEqual(await judge(8), { outcome: 'survived', isReached: false });
    assert.deepEqual(said, ['Left out, as it fails: unit fails by itself']);
  });

  it('go on in a new process when something was left open, and leave none at the end', async () => {
    assert.deepEqual(await judge(6), { outcome: 'survived', isReached: true });
    assert.equal((await judge(0)).outcome, 'killed');
    assert.equal((await childrenSince(others)).length, 1);
    await trials.stop();
    assert.deepEqual(await childrenSince(others), []);
  });
});
