// axe-core on a page of the tests.
import { source } from 'axe-core';
import type { Page } from 'playwright-core';
import * as z from 'zod';

const Results = z.object({
  violations: z.array(
    z.object({
      id: z.string(),
      help: z.string(),
      nodes: z.array(z.object({ html: z.string(), failureSummary: z.string().optional() })),
    }),
  ),
});

/** A page is a part of VS Code's window, which has the landmarks and the heading of the first level. */
const rules = {
  region: { enabled: false },
  'page-has-heading-one': { enabled: false },
  'landmark-one-main': { enabled: false },
};

/** The rules whose answer depends on the theme. */
const colorRules = ['color-contrast', 'link-in-text-block'];

/** Of a page in which only the theme has changed since it was asked last, only the rules about colors are asked again. */
export async function axeViolations(page: Page): Promise<string[]> {
  await page.evaluate(`window.axe ? undefined : (() => { ${source} })()`);
  const isSame = await page.evaluate(`(() => {
    const before = window.contentForAxe;
    window.contentForAxe = [innerWidth, innerHeight, document.body.innerHTML].join();
    return before === window.contentForAxe;
  })()`);
  const options = isSame === true ? { runOnly: colorRules } : { rules };
  const { violations } = Results.parse(await page.evaluate(`axe.run(document, ${JSON.stringify(options)})`));
  return violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ html, failureSummary = '' }) => `${id}: ${help}: ${html.slice(0, 200)}: ${failureSummary}`),
  );
}
