import assert from 'node:assert/strict';
import { toSafeNotificationText } from '../../../../src/base/common/text/noticeText';

describe('noticeText', () => {
  it('leaves plain texts as they are', () => {
    const text = 'Backline: Amp wants to change src/[id]/a (1).ts, which is protected:\n\t[x] (y).';
    assert.equal(toSafeNotificationText(text), text);
  });

  it('does not turn foreign text into links', () => {
    const link = /\[([^\]]+)\]\((?:https?:\/\/|command:|file:)[^)\s]+/;
    for (const name of ['[Allow](command:x)/a', '[[Allow](command:x)](command:y)', '[a]\u200b(command:x)']) {
      assert.doesNotMatch(toSafeNotificationText(name), link, name);
    }
  });

  it('shows invisible characters as code points and cuts long texts', () => {
    assert.equal(toSafeNotificationText('a\u202eb'), 'a[U+202E]b');
    assert.equal(toSafeNotificationText('a'.repeat(1_000)), 'a'.repeat(1_000));
    const cut = toSafeNotificationText('\u{1f600}'.repeat(501));
    assert.ok(cut.endsWith('…') && cut.isWellFormed());
    assert.ok(cut.length < 1_100);
  });
});
