/**
 * The program of the workers that search the texts of conversations, as one file beside the extension.
 * @returns {Omit<import('esbuild').BuildOptions, 'entryPoints'> & { entryPoints: Record<string, string> }}
 */
export function conversationTextsWorkerBundle() {
  return {
    entryPoints: { 'conversation-texts-worker': 'src/chat/node/search/textSearchWorkerMain.ts' },
    bundle: true,
    format: 'cjs',
    platform: 'node',
    target: 'node22',
  };
}
