import assert from 'node:assert/strict';
import {
  ChordTracker,
  parseChordPrefixes,
  isModifierKey,
  type PressedKey,
} from '../../../src/webview/common/keyChords';

const table = (...bindings: { key: string; when?: string }[]): string =>
  `// Override key bindings\n${JSON.stringify(bindings, null, 2)}`;

const keyOf = (key: string, code: string, held: Partial<PressedKey> = {}): PressedKey => ({
  key,
  code,
  ctrlKey: false,
  shiftKey: false,
  altKey: false,
  metaKey: false,
  ...held,
});

describe('the beginnings of shortcuts', () => {
  it('are those of all shortcuts of several keys', () => {
    const found = parseChordPrefixes([
      table({ key: 'ctrl+k b' }, { key: 'ctrl+x' }),
      table({ key: 'Ctrl+Q  ctrl+w e' }),
    ]);
    assert.deepEqual(found, ['ctrl+k', 'ctrl+q', 'ctrl+q ctrl+w']);
  });

  it('have one spelling, whatever the table has', () => {
    const found = parseChordPrefixes([
      table({ key: 'shift+ctrl+; a' }, { key: 'ctrl+shift+; b' }, { key: 'cmd+option+= c' }),
    ]);
    assert.deepEqual(found, ['ctrl+shift+;', 'alt+meta+=']);
  });

  it('have no modifiers but those of keyboards', () => {
    assert.deepEqual(parseChordPrefixes([table({ key: 'ctrl+constructor+x a' })]), ['ctrl+constructor+x']);
  });

  it('are not keys to type with, nor those of editors and terminals', () => {
    const found = parseChordPrefixes([
      table(
        { key: 'escape escape' },
        { key: 'j k', when: 'vim.active' },
        { key: 'alt+end a', when: 'editorTextFocus && !suggestWidgetVisible' },
        { key: 'ctrl+m a', when: '!editorTextFocus' },
        { key: 'ctrl+n a', when: 'editorTextFocus || view == x' },
      ),
    ]);
    assert.deepEqual(found, ['ctrl+m', 'ctrl+n']);
  });

  it('are not in comments, and texts that are no table have none', () => {
    const commented =
      '[ // { "key": "ctrl+a b" }\n /* { "key": "ctrl+c d" } */ { "key": "ctrl+e f", "command": "// \\" x" } ]';
    assert.deepEqual(parseChordPrefixes([commented, '', '{{{"key"', '"key": "ctrl+y z"']), ['ctrl+e']);
  });
});

describe('a tracker of shortcuts', () => {
  const trackerOf = (...beginnings: string[]): ChordTracker => new ChordTracker(() => new Set(beginnings));

  it('waits for one key after a beginning, and for no other', () => {
    const tracker = trackerOf('ctrl+k');
    tracker.handleKey(keyOf('j', 'KeyJ', { ctrlKey: true }));
    assert.equal(tracker.isPending, false);
    tracker.handleKey(keyOf('k', 'KeyK', { ctrlKey: true }));
    assert.equal(tracker.isPending, true);
    tracker.handleKey(keyOf('y', 'KeyY'));
    assert.equal(tracker.isPending, false);
  });

  it('waits on in a shortcut of three keys, and not after a beginning again', () => {
    const tracker = trackerOf('ctrl+k', 'ctrl+k ctrl+m');
    tracker.handleKey(keyOf('k', 'KeyK', { ctrlKey: true }));
    tracker.handleKey(keyOf('m', 'KeyM', { ctrlKey: true }));
    assert.equal(tracker.isPending, true);
    tracker.handleKey(keyOf('k', 'KeyK', { ctrlKey: true }));
    assert.equal(tracker.isPending, false);
  });

  it('knows a key by its letter, by its place and by its code', () => {
    for (const beginning of ['ctrl+k', 'ctrl+[keyk]']) {
      const tracker = trackerOf(beginning);
      // A keyboard with Cyrillic letters.
      tracker.handleKey(keyOf('л', 'KeyK', { ctrlKey: true }));
      assert.equal(tracker.isPending, true, beginning);
    }
    const dvorak = trackerOf('ctrl+k');
    dvorak.handleKey(keyOf('k', 'KeyV', { ctrlKey: true }));
    assert.equal(dvorak.isPending, true);
    const shifted = trackerOf('ctrl+shift+;');
    shifted.handleKey(keyOf(':', 'Semicolon', { ctrlKey: true, shiftKey: true }));
    assert.equal(shifted.isPending, true);
  });

  it('compares the modifiers that are held, and no others', () => {
    for (const held of [{ ctrlKey: true }, { altKey: true }, { metaKey: true }, { ctrlKey: true, altKey: true }]) {
      const names = { ctrlKey: 'ctrl', altKey: 'alt', metaKey: 'meta' } as const;
      const wanted = (['ctrlKey', 'altKey', 'metaKey'] as const).filter((name) => name in held);
      for (const beginning of ['ctrl+k', 'alt+k', 'meta+k', 'ctrl+alt+k']) {
        const tracker = trackerOf(beginning);
        tracker.handleKey(keyOf('k', 'KeyK', held));
        const isSame = beginning === `${wanted.map((name) => names[name]).join('+')}+k`;
        assert.equal(tracker.isPending, isSame, `${wanted.join()} for ${beginning}`);
      }
    }
  });

  it('knows the space bar, arrows and plus', () => {
    for (const [beginning, key, code] of [
      ['ctrl+space', ' ', 'Space'],
      ['ctrl+space', ' ', ''],
      ['ctrl+left', 'ArrowLeft', 'ArrowLeft'],
      ['ctrl++', '+', 'BracketRight'],
    ] as const) {
      const tracker = trackerOf(...parseChordPrefixes([table({ key: `${beginning} a` })]));
      tracker.handleKey(keyOf(key, code, { ctrlKey: true }));
      assert.equal(tracker.isPending, true, beginning);
    }
  });

  it('tells modifiers from keys', () => {
    assert.ok(isModifierKey({ key: 'Shift' }));
    assert.ok(!isModifierKey({ key: 's' }));
  });
});
