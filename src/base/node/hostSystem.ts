import { homedir } from 'node:os';

/** The system that the extension runs on, which can be a remote one. */
export const hostSystem = {
  platform: process.platform,
  arch: process.arch,
  execPath: process.execPath,
  nodeVersion: process.versions.node,
  home: homedir(),
};
