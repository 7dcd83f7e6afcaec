import assert from 'node:assert/strict';
import {
  argumentHintOf,
  inputsOf,
  parsePromptFile,
  type PromptFile,
} from '../../../../src/chat/common/prompts/promptFile';

function parsed(text: string): PromptFile {
  const file = parsePromptFile(text);
  if (typeof file === 'string') throw new Error(file);
  return file;
}

describe('parsePromptFile', () => {
  it('reads what is shown of the header, and leaves out what would grant something', () => {
    const file = parsed(
      [
        '---',
        "description: 'Reviews a pull request, Bob''s way'",
        'argument-hint: [pr-number] [priority]',
        'allowed-tools: Bash(git:*)',
        'model: opus # the large one',
        'name: "review \\"all\\""',
        '---',
        '',
        'Review $1.',
        '',
      ].join('\r\n'),
    );
    assert.deepEqual(file, {
      name: 'review "all"',
      description: "Reviews a pull request, Bob's way",
      hint: '[pr-number] [priority]',
      body: 'Review $1.',
    });
  });

  it('takes a file without a header as it is, and a rule in the text for a rule', () => {
    assert.equal(parsed('\uFEFFFix it.\n\n---\nThen test.').body, 'Fix it.\n\n---\nThen test.');
  });

  it('shows the first line of a description over several lines', () => {
    assert.equal(parsed('---\ndescription: >-\n  One line\n  and more\n---\nText').description, 'One line');
  });

  it('says what is wrong with a file that is not complete', () => {
    assert.equal(parsePromptFile('---\ndescription: x\nText'), 'has a header without an end');
    assert.equal(parsePromptFile('---\ndescription: x\n---\n \n'), 'has no text');
    assert.equal(parsePromptFile(''), 'has no text');
  });
});

describe('the arguments of a prompt file', () => {
  it('are named by the file, or by what its text asks for', () => {
    assert.equal(argumentHintOf(parsed('---\nargument-hint: path\n---\nRead'), 'claude'), 'path');
    assert.equal(argumentHintOf(parsed('Fix $ARGUMENTS'), 'claude'), '[arguments]');
    assert.equal(argumentHintOf(parsed('Fix ${input:x}'), 'claude'), undefined);
    assert.equal(argumentHintOf(parsed('Make ${input:name:a word} in ${input:place}'), 'vscode'), '[name] [place]');
    assert.equal(argumentHintOf(parsed('It costs $1'), 'vscode'), undefined);
  });

  it('are listed once each, with the first placeholder', () => {
    assert.deepEqual(inputsOf('${input:a} ${input:b: of b } ${input:a:late}'), [
      { name: 'a', placeholder: undefined },
      { name: 'b', placeholder: 'of b' },
    ]);
  });
});
