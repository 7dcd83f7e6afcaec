import assert from 'node:assert/strict';
import { maxIconBytes, toSafeSvg } from '../../../../../src/agents/common/registry/checkIcon';

const svg = (inside: string, attributes = ' viewBox="0 0 16 16"'): string =>
  `<svg xmlns="http://www.w3.org/2000/svg"${attributes}>${inside}</svg>`;

describe('an icon', () => {
  it('is written anew from shapes and colours', () => {
    const shapes = '<path fill="currentColor" d="M3.6 2.5h8.8Z"/><g opacity=".5"><circle cx="1" cy="2" r="3"/></g>';
    assert.equal(toSafeSvg(svg(shapes)), svg(shapes));
    const gradient =
      '<defs><linearGradient id="a"><stop offset="0" stop-color="#fff"/></linearGradient></defs><rect fill="url(#a)"/>';
    assert.equal(toSafeSvg(svg(gradient)), svg(gradient));
  });

  it('loses what is not seen', () => {
    const source = `<?xml version="1.0" encoding="UTF-8"?>\n<!-- made by hand -->${svg(
      '<title>Text &amp; more</title><path class="x" data-name="y" aria-hidden="true" d="M0 0"/>',
    )}\n`;
    assert.equal(toSafeSvg(source), svg('<title></title><path d="M0 0"/>'));
    assert.equal(toSafeSvg('<svg/>'), '<svg xmlns="http://www.w3.org/2000/svg"/>');
  });

  it('has its style as attributes', () => {
    assert.equal(
      toSafeSvg(svg('<path style="fill:none; stroke : #000" d=""/>')),
      svg('<path fill="none" stroke="#000" d=""/>'),
    );
  });

  const refused: Record<string, string> = {
    script: svg('<script>alert(1)</script>'),
    'script in capitals': svg('<SCRIPT>alert(1)</SCRIPT>'),
    'event handler': svg('<path onload="alert(1)" d=""/>'),
    'event handler of the root': svg('', ' onload="alert(1)"'),
    link: svg('<a href="https://example.com"><path d=""/></a>'),
    reference: svg('<use href="#a"/>'),
    'old reference': svg('<use xlink:href="https://example.com/a.svg#a"/>'),
    image: svg('<image href="data:image/png;base64,AAAA"/>'),
    'foreign object': svg('<foreignObject><p>x</p></foreignObject>'),
    'style sheet': svg('<style>*{fill:url(https://example.com)}</style>'),
    animation: svg('<animate attributeName="d" to="x"/>'),
    filter: svg('<path filter="url(https://example.com/f.svg#a)" d=""/>'),
    'address in a fill': svg('<path fill="url(https://example.com/f.svg#a)" d=""/>'),
    'address in a style': svg('<path style="fill:url(//example.com)" d=""/>'),
    'escape in a style': svg('<path style="fill:u\\72l(x)" d=""/>'),
    'unknown style': svg('<path style="background:red" d=""/>'),
    entity: svg('<path fill="&#117;rl(x)" d=""/>'),
    'document type': `<!DOCTYPE svg [<!ENTITY x "y">]>${svg('')}`,
    'character data': svg('<![CDATA[<script>]]>'),
    'processing instruction': `<?xml-stylesheet href="https://example.com/a.css"?>${svg('')}`,
    'text outside of titles': svg('hello'),
    'other root': '<html></html>',
    'nested root': svg(svg('')),
    'two roots': svg('') + svg(''),
    'open element': '<svg><g></svg>',
    'wrong order': '<svg><g><path d=""></g></path></svg>',
    'attribute without quotes': svg('<path d=M0/>'),
    'same attribute twice': svg('<path d="" d="M0"/>'),
    'other namespace': '<svg xmlns="http://www.w3.org/1999/xhtml"></svg>',
    'page of HTML': '<!doctype html><html><body>404</body></html>',
    nothing: '',
    'too much': svg(`<path d="${'M0 0'.repeat(maxIconBytes / 4)}"/>`),
    'too deep': svg(`${'<g>'.repeat(40)}${'</g>'.repeat(40)}`),
  };
  for (const [what, source] of Object.entries(refused)) {
    it(`is not shown with ${what}`, () => assert.equal(toSafeSvg(source), undefined));
  }

  it('is read in a time that grows with its length', () => {
    const long = `<svg ${'a="b" '.repeat(2_500)}`;
    assert.equal(toSafeSvg(long), undefined);
    assert.equal(toSafeSvg(`<svg>${'<!--'.repeat(3_000)}`), undefined);
  });
});
