import assert from 'node:assert/strict';
import { hostileTexts } from './support/hostileTexts';
import { sharedMarkdown } from './support/openMarkdown';

const mathElements =
  'math mrow mi mn mo mtext mspace mfrac msqrt mroot mstyle mpadded mphantom msub msup msubsup munder mover munderover mmultiscripts mprescripts none mtable mtr mtd menclose';
const mathAttributes =
  'aria-hidden stretchy fence separator symmetric largeop movablelimits accent displaystyle width height depth lspace rspace voffset minsize maxsize linethickness mathsize display form scriptlevel mathvariant mathcolor mathbackground style';
const elements = new Set(
  `${mathElements} p br hr h3 h4 h5 h6 blockquote pre code ul ol li div span a strong em s table thead tbody tr th td img button`.split(
    ' ',
  ),
);
const attributes = new Set(
  `${mathAttributes} class title alt src start role tabindex aria-label type data-target data-line data-column data-language data-path data-action data-character dir`.split(
    ' ',
  ),
);
const reachable = /^(?:https?:\/\/|file:\/\/\/|[^:]*$|[a-z]:[\\/])/i;
/** The most elements of a text, however long or nested it is. The benchmark `chat.hostile` measures the time that they take. */
const mostElements = 80_000;

interface Found {
  readonly count: number;
  readonly elements: string[];
  readonly attributes: string[];
  readonly targets: string[];
  readonly sources: string[];
  readonly styles: string[];
  readonly text: string;
  readonly hasCanary: boolean;
}

describe('hostile markdown', () => {
  const opened = sharedMarkdown();

  const shown = (text: string, units: number | undefined): Promise<Found> =>
    opened.page.evaluate(
      async ([source, size]) => {
        const { container } = window.markdownPage;
        if (size === undefined) window.markdownPage.render(source);
        else await window.markdownPage.streamedGently(source, size);
        for (const link of [...container.querySelectorAll('a')].slice(0, 20)) link.click();
        // A script that came with the markdown would run in a task of its own.
        await new Promise((resolve) => setTimeout(resolve));
        const all = [...container.querySelectorAll('*')];
        return {
          count: all.length,
          elements: [...new Set(all.map(({ localName }) => localName))],
          attributes: [...new Set(all.flatMap((element) => element.getAttributeNames()))],
          targets: all.flatMap((element) => element.getAttribute('data-target') ?? []),
          sources: all.flatMap((element) => element.getAttribute('src') ?? []),
          styles: all.flatMap((element) => element.getAttribute('style') ?? []),
          text: container.textContent,
          hasCanary: window.canary !== undefined,
        };
      },
      [text, units] as const,
    );

  it('is a table of at least 70', () => assert.ok(hostileTexts.length >= 70, `${hostileTexts.length}`));

  for (const { name, text } of hostileTexts)
    for (const units of [undefined, Math.max(3, Math.ceil(text.length / 2_000))])
      it(`does nothing: ${name}${units === undefined ? '' : ', streamed'}`, async () => {
        const found = await shown(text, units);
        assert.equal(found.hasCanary, false);
        assert.deepEqual(opened.problems, []);
        assert.deepEqual(
          found.elements.filter((element) => !elements.has(element)),
          [],
        );
        assert.deepEqual(
          found.attributes.filter((attribute) => !attributes.has(attribute)),
          [],
        );
        assert.deepEqual(
          found.targets.filter((target) => !reachable.test(target)),
          [],
        );
        assert.deepEqual(
          found.sources.filter((source) => !/^data:image\/(?:png|jpe?g|gif|webp);/.test(source)),
          [],
        );
        assert.doesNotMatch(found.styles.join(' '), /url|position|inset|fixed|-?\d{3,}em/);
        assert.doesNotMatch(found.text, /[\u202a-\u202e\u2066-\u2069\u200b\u200e\u200f]/);
        assert.ok(found.count <= mostElements, `${found.count} elements`);
        assert.match(opened.page.url(), /index\.html$/);
      });

  it('loses no text of what it does not format', async () => {
    const words = Array.from({ length: 30_000 }, (_, at) => `word${at}`);
    const { text } = await shown(words.join(' '), undefined);
    assert.ok(words.every((word) => text.includes(word)));
    assert.match(text, /Too long to format/);
  });
});
