import { existsSync } from 'node:fs';
import { lateScriptBundle, pageBundle } from './pageBundle.mjs';
import { inRoot } from '../paths.mjs';

const pages = [
  { name: 'chat', folder: 'src/chat/browser' },
  { name: 'conversations', folder: 'src/chat/browser/conversations' },
  { name: 'thread', folder: 'src/threads/browser' },
  { name: 'agents', folder: 'src/agents/browser' },
  { name: 'permissions', folder: 'src/permissions/browser' },
].filter(({ folder }) => existsSync(inRoot(folder)));

/** The pages that are shipped, each as `<name>.js` and `<name>.css`, and what they load later. */
export function pageBundles() {
  const bundles = pages.map(({ name, folder }) =>
    pageBundle({ name, script: `${folder}/${name}Main.tsx`, style: `${folder}/${name}.css` }),
  );
  return [...bundles, lateScriptBundle()];
}
