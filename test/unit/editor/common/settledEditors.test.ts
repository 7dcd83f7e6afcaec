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
    editors.update([allowed('a')], false);
    for (const tab of ['b', 'c', 'd']) {
      editors.update([], false);
      clock.advance(20);
      editors.update([checking(tab)], false);
      clock.advance(20);
      editors.update([allowed(tab)], false);
    }
    clock.advance(1000);
    assert.deepEqual(seen, ['a', 'b', 'c', 'd']);
  });

  it('is empty when no editor is left for a while', () => {
    editors.update([allowed('a')], false);
    editors.update([], false);
    assert.deepEqual(editors.editors, ['a']);
    clock.advance(250);
    assert.deepEqual(seen, ['a', '']);
  });

  it('does not wait for a check that never ends', () => {
    editors.update([allowed('a')], false);
    editors.update([checking('slow'), allowed('b')], false);
    clock.advance(249);
    assert.deepEqual(editors.editors, ['a']);
    clock.advance(1);
    assert.deepEqual(editors.editors, ['b']);
    editors.update([allowed('slow'), allowed('b')], false);
    assert.deepEqual(editors.editors, ['slow', 'b']);
  });

  it('is not pushed back by further changes', () => {
    editors.update([allowed('a')], false);
    for (let i = 0; i < 200; i++) {
      editors.update([checking(String(i))], false);
      clock.advance(10);
    }
    assert.deepEqual(editors.editors, []);
  });

  it('is never empty while tabs change on a machine that is busy', () => {
    editors.update([allowed('a')], false);
    for (const tab of ['b', 'c', 'd']) {
      editors.update([], false);
      clock.advance(200);
      editors.update([checking(tab)], false);
      clock.advance(200);
      editors.update([], false);
      clock.advance(200);
      editors.update([checking(tab)], false);
      clock.advance(400);
      editors.update([allowed(tab)], false);
    }
    assert.deepEqual(seen, ['a', 'b', 'c', 'd']);
  });

  it('is never empty while an editor opens slowly', () => {
    editors.update([allowed('a')], false);
    editors.update([], true);
    clock.advance(1500);
    editors.update([allowed('b')], false);
    assert.deepEqual(seen, ['a', 'b']);
  });

  it('does not wait for an editor that never opens, nor for one whose tab is closed', () => {
    editors.update([allowed('a')], false);
    editors.update([], true);
    clock.advance(2000);
    assert.deepEqual(seen, ['a', '']);
    editors.update([allowed('a')], false);
    editors.update([], true);
    clock.advance(100);
    editors.update([], false);
    clock.advance(250);
    assert.deepEqual(seen, ['a', '', 'a', '']);
  });

  it('removes an editor immediately whose file peers cannot access', () => {
    editors.update([allowed('a')], false);
    editors.update([refused('.env')], false);
    assert.deepEqual(seen, ['a', '']);
  });

  it('removes everything immediately when it is cleared', () => {
    editors.update([allowed('a')], false);
    editors.clear();
    assert.deepEqual(editors.editors, []);
  });
});
