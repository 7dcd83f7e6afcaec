import * as assert from 'node:assert/strict';
import { FakeClock } from '../../../fake/fakeClock';
import { FakeEditor } from '../../../fake/fakeEditor';
import type { AmpTestClient } from './support/ampTestClient';
import { AmpHarness } from './support/ampHarness';

describe('what Amp clients are told of the editor', () => {
  let editor: FakeEditor;
  let clock: FakeClock;
  let harness: AmpHarness;

  beforeEach(async () => {
    editor = new FakeEditor({ '/ws/a.ts': 'one\ntwo\n', '/ws/b.ts': '' });
    clock = new FakeClock();
    harness = await AmpHarness.start(editor, { clock });
  });

  afterEach(async () => {
    await harness.close();
    assert.equal(clock.pending, 0);
  });

  const at = (line: number): { start: object; end: object; text: string } & Parameters<FakeEditor['select']>[1] => {
    const position = { line, character: 0 };
    return { start: position, end: position, text: '' };
  };
  /** What came in, in order, after all that was sent so far has arrived. */
  const told = async (client: AmpTestClient): Promise<string[]> => {
    await client.ask('ping', { message: 'sync' });
    const kinds = client.notifications.map((notification) => Object.keys(notification)[0] ?? '');
    client.notifications.length = 0;
    return kinds;
  };

  it('comes right after connecting, to the one that connects: metadata, visible files, selection', async () => {
    const first = await harness.connect();
    assert.deepEqual(await told(first), ['pluginMetadata', 'visibleFilesDidChange']);
    editor.select('/ws/a.ts', at(1));
    clock.advance(10);
    assert.deepEqual(await told(first), ['visibleFilesDidChange', 'selectionDidChange']);
    const second = await harness.connect();
    await second.ask('ping', { message: 'x' });
    assert.deepEqual(second.newest('pluginMetadata'), { version: '1.2.3' });
    assert.deepEqual(await told(second), ['pluginMetadata', 'visibleFilesDidChange', 'selectionDidChange']);
    assert.deepEqual(await told(first), []);
  });

  it('is the last state of a burst, once', async () => {
    const client = await harness.connect();
    await told(client);
    for (let line = 0; line <= 20; line++) {
      editor.select('/ws/a.ts', at(line));
      clock.advance(line < 20 ? 0 : 10);
    }
    await client.ask('ping', { message: 'x' });
    const selection = client.newest('selectionDidChange') as { selections: { range: { startLine: number } }[] };
    assert.equal(selection.selections[0]?.range.startLine, 20);
    assert.deepEqual(await told(client), ['visibleFilesDidChange', 'selectionDidChange']);
  });

  it('is not starved by a steady stream of events', async () => {
    const client = await harness.connect();
    await told(client);
    for (let line = 0; line < 100; line++) {
      editor.select('/ws/a.ts', at(line));
      clock.advance(1);
    }
    const kinds = await told(client);
    assert.ok(kinds.filter((kind) => kind === 'selectionDidChange').length >= 9, kinds.join());
  });

  it('is not repeated when nothing has changed', async () => {
    const client = await harness.connect();
    editor.select('/ws/a.ts', at(1));
    clock.advance(10);
    await told(client);
    editor.select('/ws/a.ts', at(2));
    editor.select('/ws/a.ts', at(1));
    clock.advance(10);
    assert.deepEqual(await told(client), []);
  });

  it('repeats a selection after an empty list of files, which has made the client forget it', async () => {
    const client = await harness.connect();
    editor.select('/ws/a.ts', at(1));
    clock.advance(10);
    await told(client);
    editor.setVisible();
    clock.advance(10);
    assert.deepEqual(await told(client), ['visibleFilesDidChange']);
    editor.select('/ws/a.ts', at(1));
    clock.advance(10);
    assert.deepEqual(await told(client), ['visibleFilesDidChange', 'selectionDidChange']);
  });
});
