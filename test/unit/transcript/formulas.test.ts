import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import {
  endsInOpenFormula,
  findBlockFormula,
  findInlineFormula,
  texOf,
} from '../../../src/transcript/browser/markdown/math/formulaRules';

/** The formulas of a text, as the parser of Markdown finds them. */
function formulasIn(text: string): string[] {
  const found: string[] = [];
  for (let at = 0; at < text.length; at++) {
    const formula = findInlineFormula(text, at);
    if (formula) {
      found.push(text.slice(at, formula.end));
      at = formula.end - 1;
    } else if (text[at] === '\\') at++;
  }
  return found;
}

const block = (text: string) => {
  const lines = text.split('\n');
  return findBlockFormula((index) => lines[index]);
};

describe('formulas in text', () => {
  const formulas: readonly (readonly [text: string, ...expected: string[]])[] = [
    ['so $x$ is', '$x$'],
    ['$x$-axis, ($y$), **$z$**, $n$.', '$x$', '$y$', '$z$', '$n$'],
    ['$a_1 + b_2$ and $c$', '$a_1 + b_2$', '$c$'],
    [String.raw`costs \$5, $\$5$`, String.raw`$\$5$`],
    ['$5$ and $2 x$', '$5$', '$2 x$'],
    ['设$x$为', '$x$'],
    ['triangle $ABC$', '$ABC$'],
    [String.raw`the square \(a^2\) of a`, String.raw`\(a^2\)`],
    [String.raw`\(f(x)\), \(\text{a (b)}\)`, String.raw`\(f(x)\)`, String.raw`\(\text{a (b)}\)`],
    [String.raw`so \[x = 1\] holds`, String.raw`\[x = 1\]`],
    [String.raw`\[\begin{matrix}1\\[2pt]2\end{matrix}\]`, String.raw`\[\begin{matrix}1\\[2pt]2\end{matrix}\]`],
    ['so $$x$$ and $$ y = 2 $$ hold', '$$x$$', '$$ y = 2 $$'],
    ['two\n$$a +\nb$$ lines', '$$a +\nb$$'],
  ];
  for (const [text, ...expected] of formulas)
    it(`finds ${expected.join(' and ')} in ${JSON.stringify(text)}`, () =>
      assert.deepEqual(formulasIn(text), expected));

  const texts: readonly string[] = [
    '$5 and $6',
    'It costs $5, or $6.',
    'from $5-$10 and $15/$20',
    '$5 for one and 6$ for two',
    'US$5 and A$6, R$ 7 or R$ 8',
    '5 $ and 6 $',
    '$1,000 in $2024$2025',
    'echo $HOME and $PATH',
    '$HOME/bin:$PATH',
    '$HOME:${PATH}',
    '$a$b and $A:$(pwd)',
    '$(date) and $(pwd)',
    '${HOME}/a and ${HOME}/b',
    'kill $$ and $$',
    '$?, $!, $@',
    '$name$ and $file$',
    'a $ b $ c',
    '$ x$ and $x $',
    '$x\ny$',
    '$$$x$$$',
    'a$b$c',
    '$x `y$` z',
    '$[link](https://example.com/$)',
    '($https://example.com/$)',
    'https://example.com/$x$',
    String.raw`\$x$`,
    String.raw`C:\$Recycle.Bin\$x`,
    String.raw`C:\(x\)`,
    String.raw`\\(x\\)`,
    String.raw`array\[0\] and array\[i+1\]`,
    String.raw`\[optional\] \[link\](https://example.com)`,
    String.raw`- \[ \] open, \[x\] done`,
    String.raw`\(not closed`,
    String.raw`\(see below\)`,
    '$not closed',
    '$$',
    '$',
    '',
  ];
  for (const text of texts) it(`finds none in ${JSON.stringify(text)}`, () => assert.deepEqual(formulasIn(text), []));

  it('finds none in text without marks', () => {
    const plain = fc
      .string({ unit: fc.constantFrom(...Array.from('ab1 \n\\{}[]()^_=*`|$')), maxLength: 80 })
      .filter((text) => !/\$[^]*\$|\\[([]/.test(text));
    fc.assert(fc.property(plain, (text) => assert.deepEqual(formulasIn(text), [])));
  });

  it('finds none where amounts of money follow each other', () => {
    const money = fc.tuple(
      fc.integer({ min: 0, max: 99_999 }),
      fc.constantFrom(' ', ', ', ' and ', '/', '-', ' to ', '.\n', ' ('),
    );
    fc.assert(
      fc.property(fc.array(money, { maxLength: 8 }), (amounts) =>
        assert.deepEqual(formulasIn(amounts.map(([sum, next]) => `$${sum}${next}`).join('')), []),
      ),
    );
  });

  it('finds each formula as a whole, whatever it contains', () => {
    const tex = fc.string({ unit: fc.constantFrom(...Array.from('xy12+-=^_{}|, *')), minLength: 1, maxLength: 30 });
    fc.assert(
      fc.property(tex, (inner) => {
        const source = String.raw`\(x_${inner}\)`;
        assert.deepEqual(formulasIn(`a ${source} b`), [source]);
        assert.equal(texOf(source), `x_${inner}`);
      }),
    );
  });

  it('finds no formula that is too long', () => {
    assert.equal(formulasIn(`$${'x+'.repeat(900)}x$`).length, 1);
    assert.deepEqual(formulasIn(`$${'x+'.repeat(1_100)}x$`), []);
    assert.equal(block(`$$\n${'x+\n'.repeat(1_100)}$$`), undefined);
  });

  it('takes short for marks that are never closed', () => {
    for (const mark of ['$a', '($a', String.raw`\(`, String.raw`\[`, '$$', '\\', '$$a\n'])
      assert.ok(formulasIn(mark.repeat(5_000)).length >= 0);
    assert.equal(block('$$\n'.repeat(5_000).trimEnd())?.kind, undefined);
  });
});

describe('formulas with lines of their own', () => {
  const closed: readonly (readonly [text: string, count: number])[] = [
    ['$$\nx\n$$', 3],
    ['$$\n\\begin{aligned}\na &= b \\\\\n- c\n\\end{aligned}\n$$\ntext', 6],
    ['$$x = 1$$', 1],
    ['$$ x $$', 1],
    ['\\[\nword\n\\]', 3],
    ['\\[ a_1\n+ b \\]', 2],
  ];
  for (const [text, count] of closed)
    it(`has ${count} in ${JSON.stringify(text)}`, () => assert.deepEqual(block(text), { kind: 'closed', count }));

  const none = [
    '$$\nx\n\n$$',
    '$$ is the process\n\ntext',
    '$$x$$ and more',
    '$$ and $$',
    '$$',
    '\\[link\\](a)',
    '\\[x\\',
    'a $$',
    '$$\n$$',
  ];
  for (const text of none) it(`are not in ${JSON.stringify(text)}`, () => assert.notEqual(block(text)?.kind, 'closed'));

  it('is open until it is closed or a blank line comes', () => {
    const open = ['$$', '$$\n', 'text\n$$\nx', '$$\nx\n$$\n\\[\ny', '\\[\na\n- b\n'];
    for (const text of open) assert.equal(endsInOpenFormula(text), true, text);
    const others = ['', 'text', '$$\nx\n$$', '$$\nx\n\n', '$$\nx\n\ny', '$$ is the process', 'a\n\n$$x$$\n'];
    for (const text of others) assert.equal(endsInOpenFormula(text), false, text);
  });
});
