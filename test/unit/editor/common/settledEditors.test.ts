import assert from 'node:assert/strict';
import { SettledEditors, type VisibleEditor } from '../../../../src/editor/common/settledEditors';
import { FakeClock } from '../../../fake/fakeClock';

describe('SettledEditors', () => {
  let clock: FakeClock;
  let seen: string[];
  let editors: SettledEditors<string>;
  const allowed = (editor: string): VisibleEditor<string> => ({ editor, isAllowed: true });
  const refused = (editor: string): VisibleEditor<string> => ({ editor, isAllowed: false });
  const checking = (editor: string): VisibleEditor<string> => ({ editor, isAllowed: undefined });

  beforeEach(() => {
    [clock, seen] = [new FakeClock(), []];
    editors = new SettledEditors(clock, () => seen.push(editors.editors.join(' ')));
  });
  afterEach(() => {
    editors.dispose();
    assert.equal(clock.pending, 0);
  });

  it('has no empty state between two tabs', () => {
    editors.update([allowed('a')]);
    for (const tab of ['b', 'c', 'd']) {
      editors.update([]);
      clock.advance(20);
      editors.update([checking(tab)]);
      clock.advance(20);
      editors.update([allowed(tab)]);
    }
    clock.advance(1000);
    assert.deepEqual(seen, ['a', 'b', 'c', 'd']);
  });

  it('is empty when no editor is left for a while', () => {
    editors.update([allowed('a')]);
    editors.update([]);
    assert.deepEqual(editors.editors, ['a']);
    clock.advance(250);
    assert.deepEqual(seen, ['a', '']);
  });

  it('does not wait for a check that never ends', () => {
    editors.update([allowed('a')]);
    editors.update([checking('slow'), allowed('b')]);
    clock.advance(249);
    assert.deepEqual(editors.editors, ['a']);
    clock.advance(1);
    assert.deepEqual(editors.editors, ['b']);
    editors.update([allowed('slow'), allowed('b')]);
    assert.deepEqual(editors.editors, ['slow', 'b']);
  });

  it('is not pushed back by further changes', () => {
    editors.update([allowed('a')]);
    for (let i = 0; i < 200; i++) {
      editors.update([checking(String(i))]);
      clock.advance(10);
    }
    assert.deepEqual(editors.editors, []);
  });

  it('is never empty while tabs change on a machine that is busy', () => {
    editors.update([allowed('a')]);
    for (const tab of ['b', 'c', 'd']) {
      editors.update([]);
      clock.advance(200);
      editors.update([checking(tab)]);
      clock.advance(200);
      editors.update([]);
      clock.advance(200);
      editors.update([checking(tab)]);
      clock.advance(400);
      editors.update([allowed(tab)]);
    }
    assert.deepEqual(seen, ['a', 'b', 'c', 'd']);
  });

  it('removes an editor immediately whose file peers cannot access', () => {
    editors.update([allowed('a')]);
    editors.update([refused('.env')]);
    assert.deepEqual(seen, ['a', '']);
  });

  it('removes everything immediately when it is cleared', () => {
    editors.update([allowed('a')]);
    editors.clear();
    assert.deepEqual(editors.editors, []);
  });
});
