import { messageOf } from '../../base/common/errors';
import { ChatError } from '../common/chatPorts';

export function notFoundError(): ChatError {
  return new ChatError('notFound', 'This conversation no longer exists.');
}

/** Converts an error while a conversation is read. */
export function unreadableError(error: unknown): ChatError {
  if (error instanceof ChatError) return error;
  const message = 'This conversation could not be read. Its files are in Backline’s storage folder.';
  return new ChatError('unreadable', message, messageOf(error), { cause: error });
}

/** Converts an error while a conversation is written. `message` is for the user. */
export function storageError(message: string, error: unknown): ChatError {
  if (error instanceof ChatError) return error;
  return new ChatError('storage', message, messageOf(error), { cause: error });
}
