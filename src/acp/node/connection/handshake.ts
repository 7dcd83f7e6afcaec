import { RequestError } from '@agentclientprotocol/sdk';
import * as z from 'zod';
import { BackendError } from '../../../session/common/sessionBackend';
import type { ProtocolSetting } from '../../common/catalogue/agentSettings';
import { InitializeResult as V1InitializeResult } from '../../common/v1/v1Schema';
import { InitializeResult as V2InitializeResult } from '../../common/v2/v2Schema';
import { V1Requests } from '../v1/v1Requests';
import { V2Requests } from '../v2/v2Requests';
import { parseAnswer, type ProtocolRequests, type ProtocolVersion, type SendRequest } from './protocolRequests';

interface ClientInfo {
  readonly name: string;
  readonly title: string;
  readonly version: string;
}

const Answer = z.looseObject({ protocolVersion: z.number() });
const unsupportedVersionCode = -32022;

/** Returns the version to offer to an agent. `isLimited`: the agent failed earlier when version 2 was offered. */
export function offeredVersion(protocol: ProtocolSetting, isLimited: boolean): ProtocolVersion {
  return protocol === '1' || (protocol === 'auto' && isLimited) ? 1 : 2;
}

/** The agent has answered the handshake correctly, but supports no version that Backline supports. */
class VersionMismatchError extends BackendError {}

/** Whether an agent that failed in the handshake may work if it is only offered version 1. */
export function mayWorkWithVersion1(error: unknown): boolean {
  return !(error instanceof VersionMismatchError);
}

/** An offer of version 2 has the members of both versions, because the agent may answer with version 1. */
export function initializeParams(version: ProtocolVersion, clientInfo: ClientInfo, canElicit: boolean): object {
  const elicitation = canElicit ? { elicitation: { form: {}, url: {} } } : {};
  const v1 = { clientInfo: { ...clientInfo }, clientCapabilities: { ...v1Capabilities, ...elicitation } };
  if (version === 1) return { protocolVersion: 1, ...v1 };
  return { protocolVersion: 2, ...v1, info: { ...clientInfo }, capabilities: { ...v2Capabilities, ...elicitation } };
}

const v1Capabilities = {
  fs: { readTextFile: true, writeTextFile: true },
  terminal: true,
  auth: { terminal: true },
  session: { configOptions: { boolean: {} }, notices: {}, compaction: {} },
  subagents: {},
  // Enables extensions of Claude, Codex and Copilot: output of the agent's own terminals, and sign-in by a command.
  _meta: { terminal_output: true, terminal_output_delta: true, 'terminal-auth': true },
};
const v2Capabilities = { auth: { terminal: {} } };

interface Answered {
  readonly answer: unknown;
  readonly offered: ProtocolVersion;
  readonly agentTitle: string;
  readonly send: SendRequest;
}

/** Continues with the version in the answer. @throws BackendError `protocol` for a version that was not offered */
export function createProtocolRequests({ answer, offered, agentTitle, send }: Answered): ProtocolRequests {
  const { protocolVersion } = parseAnswer(Answer, answer, 'initialize');
  if (protocolVersion === 2 && offered === 2) {
    return new V2Requests(parseAnswer(V2InitializeResult, answer, 'initialize'), send, agentTitle);
  }
  if (protocolVersion === 1) return new V1Requests(parseAnswer(V1InitializeResult, answer, 'initialize'), send);
  throw unsupportedVersionError(agentTitle, offered, String(protocolVersion));
}

/** Adds the versions to an error with which the agent refused the handshake. Returns other errors unchanged. */
export function explainRefusal(error: unknown, agentTitle: string, offered: ProtocolVersion): unknown {
  if (!(error instanceof RequestError) || error.code !== unsupportedVersionCode) return error;
  const { supported } = Refusal.parse(error.data);
  if (offered === 2 && supported.includes(1)) return error;
  const versions = supported.length === 0 ? 'another version' : supported.join(', ');
  return unsupportedVersionError(agentTitle, offered, versions);
}

const Refusal = z.looseObject({ supported: z.array(z.number()) }).catch({ supported: [] });

function unsupportedVersionError(agentTitle: string, offered: ProtocolVersion, versions: string): BackendError {
  const ours = offered === 1 ? 'version 1' : 'versions 1 and 2';
  const hint = `Install a compatible version of ${agentTitle}, or change "protocol" in backline.acp.agents.`;
  const message = `${agentTitle} uses ACP version ${versions}, but Backline offered ${ours}. ${hint}`;
  return new VersionMismatchError('protocol', message);
}
