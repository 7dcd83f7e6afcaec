import path from 'node:path';

/** @typedef {{ test: string, bundle: string, sources: readonly string[] }} TestBundle paths from the root, `/` between names */

/**
 * The tests that can notice a change of a source, since they import it: those of its feature, beginning with the one of the
 * same name, then the others. Those that import least come first, as they are the fastest.
 * @param {string} source e.g. src/chat/common/conversation/conversationTitle.ts
 * @param {readonly TestBundle[]} bundles
 * @returns {{ own: TestBundle[], others: TestBundle[] }}
 */
export function testFilesOf(source, bundles) {
  const feature = source.split('/')[1] ?? '';
  const name = path.posix.basename(source, '.ts');
  /** @param {TestBundle} bundle */
  const distance = ({ test }) => {
    if (!test.startsWith(`test/unit/${feature}/`)) return 2;
    return path.posix.basename(test, '.test.ts') === name ? 0 : 1;
  };
  const inOrder = bundles
    .filter(({ sources }) => sources.includes(source))
    .map((bundle) => ({ bundle, distance: distance(bundle) }))
    .sort(
      (a, b) =>
        a.distance - b.distance ||
        a.bundle.sources.length - b.bundle.sources.length ||
        (a.bundle.test < b.bundle.test ? -1 : 1),
    );
  const those = (/** @type {boolean} */ isOwn) =>
    inOrder.filter(({ distance }) => distance < 2 === isOwn).map(({ bundle }) => bundle);
  return { own: those(true), others: those(false) };
}
