import assert from 'node:assert/strict';
import { attachmentOf, threadsOfAttachment } from '../../../../src/comments/common/commentChat';
import { reviewPrompt, type CommentToSend } from '../../../../src/comments/common/reviewPrompt';

const comment = (more: Partial<CommentToSend> = {}): CommentToSend => ({
  number: 3,
  shownPath: 'src/a.ts',
  isOnTextOfDiff: false,
  lines: 'const a = 1;',
  firstLine: 4,
  place: { kind: 'same', lines: { start: 6, end: 7 } },
  earlier: [],
  texts: ['Why 1?'],
  ...more,
});

describe('the prompt that sends comments', () => {
  it('has number, file, 1-based line, the code and the comment', () => {
    assert.match(
      reviewPrompt([comment()]),
      /^Here is a review comment[^]*## C3: src\/a\.ts, line 7\n\n```\nconst a = 1;\n```\n\nComment:\n\n> Why 1\?$/,
    );
    assert.match(reviewPrompt([comment(), comment({ number: 4 })]), /^Here are 2 review comments[^]*“C3: …”[^]*## C4:/);
  });

  it('has the code before and after, where it has changed', () => {
    const place = { kind: 'changed', lines: { start: 1, end: 3 }, before: 'old', after: 'new\nmore' } as const;
    assert.match(
      reviewPrompt([comment({ place })]),
      /lines 2 to 3\n\nThe lines were, when the comment was written:\n\n```\nold\n```\n\nThey are now:\n\n```\nnew\nmore\n```/,
    );
  });

  it('says that lines are gone, and that it is about a text in a diff', () => {
    assert.match(reviewPrompt([comment({ place: { kind: 'gone' } })]), /line 5 \(these lines are gone\)/);
    assert.match(reviewPrompt([comment({ isOnTextOfDiff: true })]), /text of the file in a diff/);
  });

  it('cannot be split by code or by a comment', () => {
    const text = reviewPrompt([comment({ lines: '```\n## C9: x', texts: ['a\n## C8: y'] })]);
    assert.match(text, /````\n```\n## C9: x\n````/);
    assert.match(text, /> a\n> ## C8: y/);
  });

  it('has what was said before', () => {
    const earlier = [{ author: 'Demo', text: 'Done.' }];
    assert.match(reviewPrompt([comment({ earlier })]), /Demo wrote before:\n\n> Done\.\n\nComment:/);
  });

  it('is named by its threads', () => {
    const attachment = attachmentOf(['a', 'b'], 'once');
    assert.equal(attachment.title, '2 comments');
    assert.deepEqual(threadsOfAttachment(attachment.id), ['a', 'b']);
    assert.deepEqual(threadsOfAttachment('text:1'), []);
  });
});
