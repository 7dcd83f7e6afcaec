import { open, readFile, stat } from 'node:fs/promises';
import * as path from 'node:path';
import { plainRemote } from '../../base/common/addresses/plainRemote';
import type { RepositoryIdentity } from '../common/conversations/conversationPlace';

const maxFileBytes = 256 * 1024;
const maxPackedRefsBytes = 16 * 1024 * 1024;
const firstLineBytes = 4096;

/**
 * Returns by what the repository of a folder can be recognized elsewhere. Only reads files of `.git` and runs no program,
 * as the configuration of a repository can name programs. Never rejects.
 */
export async function repositoryIdentity(realFolder: string): Promise<RepositoryIdentity | undefined> {
  for (let top = realFolder; ; top = path.dirname(top)) {
    const gitFolder = await gitFolderAt(path.join(top, '.git'));
    if (gitFolder !== undefined) {
      const [first, remote] = await Promise.all([firstCommit(gitFolder), remoteUrl(gitFolder)]);
      const below = path.relative(top, realFolder).split(path.sep).join('/');
      if (first === undefined && remote === undefined) return undefined;
      return { ...(first === undefined ? {} : { first }), ...(remote === undefined ? {} : { remote }), below };
    }
    if (path.dirname(top) === top) return undefined;
  }
}

/** Returns the branch of the work tree of a folder. Undefined if there is none, or if its HEAD is no branch. Never rejects. */
export async function branchOf(folder: string): Promise<string | undefined> {
  return (await readHead(folder))?.branch;
}

/** Returns the id of the commit that is checked out in the work tree of a folder. Undefined if there is none. Never rejects. */
export async function headCommitOf(folder: string): Promise<string | undefined> {
  const { commonFolder, text = '' } = (await readHead(folder)) ?? {};
  if (commonFolder === undefined || isCommit(text)) return isCommit(text) ? text : undefined;
  const ref = /^ref: (refs\/[^\r\n]+)$/.exec(text)?.[1];
  if (ref === undefined || ref.split('/').includes('..')) return undefined;
  const id = (await readSmall(path.join(commonFolder, ref)))?.trim();
  if (id !== undefined) return isCommit(id) ? id : undefined;
  const packed = await readSmall(path.join(commonFolder, 'packed-refs'), maxPackedRefsBytes);
  const line = packed?.split('\n').find((one) => one.endsWith(` ${ref}`));
  return line === undefined ? undefined : /^([0-9a-f]{40,64}) /.exec(line)?.[1];
}

interface WorkTreeHead {
  readonly text: string;
  readonly branch: string | undefined;
  /** The folder with the files that all work trees of the repository share. */
  readonly commonFolder: string;
}

async function readHead(folder: string): Promise<WorkTreeHead | undefined> {
  for (let top = folder; ; top = path.dirname(top)) {
    const gitFolder = await workTreeFolderAt(path.join(top, '.git'));
    if (gitFolder !== undefined) {
      const text = ((await readSmall(path.join(gitFolder, 'HEAD'))) ?? '').trim();
      const branch = /^ref: refs\/heads\/([^\r\n]+)/.exec(text)?.[1];
      // In a repository with another format of refs, HEAD is a placeholder.
      return {
        text,
        branch: branch === '.invalid' ? undefined : branch,
        commonFolder: await commonFolderOf(gitFolder),
      };
    }
    if (path.dirname(top) === top) return undefined;
  }
}

function isCommit(text: string): boolean {
  return /^[0-9a-f]{40,64}$/.test(text);
}

/** Returns the folder with the files of this work tree. In linked work trees and submodules, `.git` is a file. */
async function workTreeFolderAt(place: string): Promise<string | undefined> {
  const info = await stat(place).catch(() => undefined);
  if (!info) return undefined;
  const pointer = info.isFile() ? /^gitdir: ([^\r\n]+)/.exec((await readSmall(place)) ?? '')?.[1] : '.git';
  return pointer === undefined ? undefined : path.resolve(path.dirname(place), pointer);
}

/** Returns the folder with the repository's own files. */
async function gitFolderAt(place: string): Promise<string | undefined> {
  const folder = await workTreeFolderAt(place);
  return folder === undefined ? undefined : await commonFolderOf(folder);
}

async function commonFolderOf(gitFolder: string): Promise<string> {
  const common = await readSmall(path.join(gitFolder, 'commondir'));
  return common === undefined ? gitFolder : path.resolve(gitFolder, common.trim());
}

/** Returns the first commit that this repository has had, from the first line of the log of its HEAD. */
async function firstCommit(gitFolder: string): Promise<string | undefined> {
  const line = await readStart(path.join(gitFolder, 'logs', 'HEAD'));
  return /^[0-9a-f]{40,64} ([0-9a-f]{40,64}) /.exec(line)?.[1];
}

/** Returns the address of the remote `origin`, or else of the first remote, in a form that all its spellings share. */
async function remoteUrl(gitFolder: string): Promise<string | undefined> {
  const urls = new Map<string, string>();
  let remote: string | undefined;
  for (const line of ((await readSmall(path.join(gitFolder, 'config'))) ?? '').split('\n')) {
    if (/^\s*\[/.test(line)) remote = /^\s*\[remote "([^"]+)"\]/.exec(line)?.[1];
    const url = /^\s*url\s*=\s*(\S+)\s*$/.exec(line)?.[1];
    if (remote !== undefined && url !== undefined && !urls.has(remote)) urls.set(remote, url);
  }
  const url = urls.get('origin') ?? [...urls.values()][0];
  return url === undefined ? undefined : plainRemote(url);
}

async function readSmall(file: string, maxBytes = maxFileBytes): Promise<string | undefined> {
  const info = await stat(file).catch(() => undefined);
  if (!info?.isFile() || info.size > maxBytes) return undefined;
  return await readFile(file, 'utf8').catch(() => undefined);
}

async function readStart(file: string): Promise<string> {
  // A pipe, for example, would block.
  if ((await stat(file).catch(() => undefined))?.isFile() !== true) return '';
  const handle = await open(file, 'r').catch(() => undefined);
  if (!handle) return '';
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(firstLineBytes), 0, firstLineBytes, 0);
    return buffer.toString('utf8', 0, bytesRead).split('\n')[0] ?? '';
  } catch {
    return '';
  } finally {
    await handle.close();
  }
}
