import { ownNodeBundle } from '../oldestNode.mjs';

/** @type {import('esbuild').Plugin} */
const acpServerBeside = {
  name: 'acp-server beside',
  setup(build) {
    build.onResolve({ filter: /^\.\/acpServer$/ }, ({ kind }) =>
      kind === 'dynamic-import' ? { path: './acp-server.js', external: true } : undefined,
    );
  },
};

/**
 * The programs that serve agents, for the Node.js of whoever starts them: the embedded Amplifier server, and the one that offers an
 * agent to other ACP clients, which the first runs for `--acp`.
 * @returns {import('./workerBundle.mjs').ProgramBundle}
 */
export function amplifierServerBundle() {
  return {
    ...ownNodeBundle({ 'amplifier-server': 'src/amplifierServer.ts', 'acp-server': 'src/acpServer.ts' }),
    plugins: [acpServerBeside],
  };
}
