import { backendStateLabel, displayedState } from '../common/backendStateLabel';
import type { BackendView, DraftAttachment, ConversationRow } from '../common/chatView';

/** Formats a duration as `4 min 59 s`, with hours as `1 h 4 min`. */
export function formatLongDuration(ms: number): string {
  const seconds = Math.max(Math.ceil(ms / 1000), 0);
  const minutes = Math.floor(seconds / 60);
  if (minutes >= 60) return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
  return minutes > 0 ? `${minutes} min ${seconds % 60} s` : `${seconds} s`;
}

/** Formats a duration as `4:59` or `1:04:59`. */
export function formatCountdown(ms: number): string {
  const seconds = Math.max(Math.ceil(ms / 1000), 0);
  const two = (count: number): string => String(count).padStart(2, '0');
  const hours = Math.floor(seconds / 3600);
  const minutes = Math.floor(seconds / 60) % 60;
  return hours > 0 ? `${hours}:${two(minutes)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`;
}

const backendStateLabels: Record<BackendView['state'], string> = {
  stopped: 'starts with your first prompt',
  starting: 'starting…',
  ready: 'ready',
  authRequired: 'needs sign-in',
  failed: 'failed',
  unavailable: 'unavailable',
};

type BackendStatus = Pick<BackendView, 'health' | 'needsPermission' | 'state'>;

export function backendStatusText(backend: BackendStatus): string {
  return backendStateLabel(backend, backendStateLabels);
}

/** What is wrong with an agent, or what it is. Undefined if only its command line is known, which users need not understand. */
export function backendHint({ description, problem, remoteHost, source }: BackendView): string | undefined {
  const isCommand = (source === 'configured' || source === 'found') && remoteHost === undefined;
  return problem ?? (isCommand ? undefined : description);
}

export function backendDotClass(backend: Pick<BackendView, 'health' | 'state'>): string {
  return `is-${displayedState(backend)}`;
}

export function repairLabel({ health, needsPermission, state }: BackendStatus): string {
  if (needsPermission) return 'Allow…';
  if (health?.kind === 'needsToken') return 'Set Token…';
  if (state === 'authRequired') return 'Sign In…';
  return state === 'failed' ? 'Try Again…' : 'Set Up…';
}

export const sessionRowStateLabels: Record<ConversationRow['state'], string> = {
  idle: '',
  busy: 'working',
  waiting: 'needs your input',
  unread: 'new answer',
  failed: 'failed',
  interrupted: 'interrupted',
};

export const attachmentKindLabels: Record<DraftAttachment['kind'], string> = {
  file: 'File',
  folder: 'Folder',
  selection: 'Selection',
  problems: 'Problems',
  editors: 'Open editors',
  git: 'Git changes',
  context: 'Context',
  image: 'Image',
  text: 'Text',
  comments: 'Comments',
};

/** Describes the actions that an agent takes without asking in its mode. */
export function unattendedActionLabel(unattended: 'edits' | 'runs'): string {
  return unattended === 'edits' ? 'Edits without asking' : 'Runs without asking';
}

export function seenUnattendedActionHint(who: string, unattended: 'edits' | 'runs'): string {
  const what = unattended === 'edits' ? 'edited files' : 'run commands';
  return `${who} has ${what} without asking you first, and hasn’t asked since.`;
}

export function unattendedModeHint(who: string, unattended: 'edits' | 'runs'): string {
  const what = unattended === 'edits' ? 'edits files' : 'edits files and runs commands';
  return `${who} ${what} without asking you first in this mode, unless its own settings say otherwise.`;
}
