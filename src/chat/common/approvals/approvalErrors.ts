import { BackendError } from '../../../session/common/sessionBackend';
import { ChatError } from '../chatPorts';

export function approvalResolvedError(): BackendError {
  return new BackendError('approvalResolved', 'This approval was already answered or is no longer pending.');
}

export function approvalChangedError(): ChatError {
  return new ChatError('changedMeanwhile', 'The request is not the one that was shown. Read it again.');
}
