import * as assert from 'node:assert/strict';
import {
  appendToPromptNotification,
  editorNotifications,
  pluginMetadataNotification,
  selectionNotification,
  visibleFilesNotification,
} from '../../../../src/amp/common/notifications';

describe('Amp notifications', () => {
  const position = (line: number, character: number): { line: number; character: number } => ({ line, character });

  it('contain the selection in both dialects, the primary one first', () => {
    const { json, method } = selectionNotification({
      path: '/ws/ä b.ts',
      selections: [
        { start: position(3, 1), end: position(4, 2), text: 'abc' },
        { start: position(9, 0), end: position(9, 0), text: '' },
      ],
    });
    assert.equal(method, 'selectionDidChange');
    assert.deepEqual(JSON.parse(json), {
      serverNotification: {
        selectionDidChange: {
          uri: 'file:///ws/%C3%A4%20b.ts',
          selections: [
            { range: { startLine: 3, startCharacter: 1, endLine: 4, endCharacter: 2 }, content: 'abc' },
            { range: { startLine: 9, startCharacter: 0, endLine: 9, endCharacter: 0 }, content: '' },
          ],
        },
        method: {
          selectionChanged: { path: '/ws/ä b.ts', start: { line: 3, col: 1 }, end: { line: 4, col: 2 } },
        },
      },
    });
  });

  it('contain the visible files in both dialects', () => {
    assert.deepEqual(JSON.parse(visibleFilesNotification(['/ws/a.ts', '/ws/b c.ts']).json), {
      serverNotification: {
        visibleFilesDidChange: { uris: ['file:///ws/a.ts', 'file:///ws/b%20c.ts'] },
        method: { visibleFilesChanged: { files: ['/ws/a.ts', '/ws/b c.ts'] } },
      },
    });
  });

  it('never name a plugin folder, where older clients would install into', () => {
    assert.deepEqual(JSON.parse(pluginMetadataNotification('1.2.3').json), {
      serverNotification: { pluginMetadata: { version: '1.2.3' }, method: { pluginMetadata: { version: '1.2.3' } } },
    });
  });

  it('carry messages for the prompt', () => {
    assert.deepEqual(JSON.parse(appendToPromptNotification('@a.ts#L1').json), {
      serverNotification: {
        appendToPrompt: { message: '@a.ts#L1' },
        method: { appendToPrompt: { message: '@a.ts#L1' } },
      },
    });
  });

  it('have no selection when no editor is active', () => {
    const state = editorNotifications({ visibleFiles: [], activeSelection: undefined });
    assert.equal(state.selection, undefined);
    assert.equal(state.visibleFiles.json, visibleFilesNotification([]).json);
  });
});
