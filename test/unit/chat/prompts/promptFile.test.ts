import assert from 'node:assert/strict';
import {
  argumentHintOf,
  inputsOf,
  parsePromptFile,
  splitAtInputs,
  type PromptFile,
} from '../../../../src/chat/common/prompts/promptFile';
import { promptReferences } from '../../../../src/chat/common/prompts/promptReferences';

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

  it('ends a value at its comment, and leaves a quote that has no end', () => {
    assert.equal(parsed('---\ndescription: a#b  # c\n---\nText').description, 'a#b');
    assert.equal(parsed('---\ndescription: "open\n---\nText').description, '"open');
    assert.equal(parsed("---\ndescription: '\n---\nText").description, "'");
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
    assert.equal(argumentHintOf(parsed('Fix $FILE in $DIR, $FILE and $$HOME'), 'codex'), 'FILE= DIR=');
    assert.equal(argumentHintOf(parsed('Fix $1'), 'codex'), '[arguments]');
    assert.equal(argumentHintOf(parsed('Fix $FILE'), 'claude'), undefined);
  });

  it('are listed once each, with the first placeholder', () => {
    assert.deepEqual(inputsOf('${input:a} ${input:b: of b } ${input:a:late}'), [
      { name: 'a', placeholder: undefined },
      { name: 'b', placeholder: 'of b' },
    ]);
  });

  it('have a length, are on one line, and leave all other text as it is', () => {
    const long = `\${input:${'x'.repeat(1025)}}`;
    const body = `a \${input:b\n} ${long} \${input:} \${input:c:d:e} \${input:f`;
    assert.deepEqual(inputsOf(body), [{ name: 'c', placeholder: 'd:e' }]);
    assert.equal(
      splitAtInputs(body)
        .map((piece) => (typeof piece === 'string' ? piece : '*'))
        .join(''),
      body.replace('${input:c:d:e}', '*'),
    );
  });
});

// With a search that begins anew at each of these, a test takes minutes and does not end in time.
describe('a hostile prompt file of 64 KiB', () => {
  const fill = (part: string): string => part.repeat((64 * 1024) / part.length);

  it('is read, with its header', () => {
    const line = fill(' ');
    assert.equal(parsed(`---\ndescription: x${line}y\nargument-hint: "${fill('\\')}\n---\nText`).description, 'x');
    assert.equal(parsed(`---\n${fill('---x\n')}---\nText`).body, 'Text');
  });

  it('has no inputs, and no files', () => {
    for (const part of ['${input:', '${input:a:', '${', '](', '](a ', '](#', '#file:', '@.']) {
      for (const end of ['', '\n}', ')']) {
        const body = fill(part) + end;
        assert.ok(inputsOf(body).length <= 1, part);
        assert.ok(promptReferences(body, 'vscode').length <= 20, part);
        assert.equal(promptReferences(body, 'claude').length, 0, part);
      }
    }
  });
});
