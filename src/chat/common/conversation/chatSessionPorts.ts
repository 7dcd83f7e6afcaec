import type { BackendRegistry } from '../../../session/common/backendRegistry';
import type { BackendSession, CreateSessionOptions, SessionBackend } from '../../../session/common/sessionBackend';
import type { Clock } from '../../../base/common/async';
import type { Logger } from '../../../base/common/log';
import type { ChatFiles } from '../changes/changeJournal';
import type { SessionHead } from '../chatStore';
import type { AttachmentResolver } from './promptDelivery';
import type { SessionStarts } from '../conversations/sessionStarts';

export interface ChatSessionPorts {
  readonly backends: Pick<BackendRegistry, 'open'>;
  readonly files: ChatFiles;
  readonly attachments: AttachmentResolver;
  readonly clock: Clock;
  readonly log: Logger;
  readonly starts: SessionStarts;
  readonly host: ChatSessionHost;
}

interface ChatSessionHost {
  newId(): string;
  /** @throws BackendError when there is no folder to work in */
  createOptions(head: SessionHead): CreateSessionOptions;
  /** One that was made for it before, or a new one. @throws BackendError */
  createSession(backend: SessionBackend, options: CreateSessionOptions, signal: AbortSignal): Promise<BackendSession>;
  /** The backend has been opened. */
  onBackend(backend: SessionBackend): void;
}
