import assert from 'node:assert/strict';
import { conflictPoint, findConflicts } from '../../../src/startingPoints/common/conflictPoint';

const conflict = (ours: string, theirs: string): string => `<<<<<<< HEAD\n${ours}\n=======\n${theirs}\n>>>>>>> topic\n`;

describe('merge conflicts in a text', () => {
  it('are found with their sides and names, also with CRLF and empty sides', () => {
    const text = `a\n${conflict('b', 'c')}d\n<<<<<<< HEAD\n=======\ne\n>>>>>>>\n`.replaceAll('\n', '\r\n');
    assert.deepEqual(findConflicts(text), [
      { first: 1, last: 5, ours: { name: 'HEAD', text: 'b' }, theirs: { name: 'topic', text: 'c' } },
      { first: 7, last: 10, ours: { name: 'HEAD', text: '' }, theirs: { name: '', text: 'e' } },
    ]);
  });

  it('have the base of diff3', () => {
    const [found] = findConflicts('<<<<<<< HEAD\na\n||||||| 1234567\nb\n=======\nc\n>>>>>>> topic');
    assert.deepEqual(found?.base, { name: '1234567', text: 'b' });
  });

  it('are not headings or markers that do not belong together', () => {
    for (const text of [
      'Title\n=======\ntext',
      '>>>>>>> a\n=======\n<<<<<<< b',
      '<<<<<<< a\n>>>>>>> b',
      'x <<<<<<< y',
      '<<<<<<<<',
    ])
      assert.deepEqual(findConflicts(text), [], text);
    assert.equal(findConflicts(conflict('a', 'b\n=======\nc'))[0]?.theirs.text, 'b\n=======\nc');
    assert.equal(findConflicts(`<<<<<<< left over\n${conflict('a', 'b')}`).length, 1);
  });

  it('are described together for a whole file', () => {
    const text = `${conflict('a', 'b')}same\n${conflict('c', 'd')}`;
    const file = { shownPath: 'x.txt', path: '/work/x.txt', text, branch: 'main', baseText: 'before' };
    const { prompt, texts } = conflictPoint({ ...file, conflicts: findConflicts(text) });
    assert.match(prompt, /^Resolve the 2 merge conflicts in x\.txt between main and topic\./);
    assert.match(texts[0]?.text ?? '', /Here \(main\):\na\nThere \(topic\):\nb\n[^]*Here \(main\):\nc\n[^]*before$/);
    assert.throws(() => conflictPoint({ ...file, conflicts: [] }), /no merge conflict/);
  });
});
