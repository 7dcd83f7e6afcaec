import { RequestError, type AnyMessage, type AuthMethod, type Stream } from '@agentclientprotocol/sdk';
import * as z from 'zod';
import { messageOf } from '../../../../src/base/common/errors';
import { rpcErrorCode } from '../../../../src/wire/common/connectionErrors';
import { DisableProvider, SetProvider, type DemoProviders } from './demoProviders';
import type { DemoSignIn } from './demoSignIn';

const Request = z.looseObject({ id: z.union([z.string(), z.number()]), method: z.string(), params: z.unknown() });
type Request = z.infer<typeof Request>;
const Initialize = z.looseObject({
  clientCapabilities: z
    .looseObject({ auth: z.looseObject({ terminal: z.boolean().optional() }).optional() })
    .optional(),
  capabilities: z.looseObject({ auth: z.looseObject({ terminal: z.unknown() }).optional() }).optional(),
});
const Initialized = z.looseObject({ id: z.union([z.string(), z.number()]), result: z.looseObject({}) });
const V1Result = z.looseObject({ protocolVersion: z.literal(1), agentCapabilities: z.looseObject({}) });
const V2Result = z.looseObject({ protocolVersion: z.literal(2), capabilities: z.looseObject({}) });
const SignIn = z.looseObject({ methodId: z.literal('demo-sign-in') });
const needSignIn = new Set(['session/new', 'session/load', 'session/resume', 'session/fork']);

/**
 * What the demo agent does not have, in both versions: a sign-in and LLM providers. Their requests are answered here, before
 * the agent sees them, and its answer to `initialize` says that it has them.
 */
export function withSignInAndProviders(
  { readable, writable }: Stream,
  signIn: DemoSignIn,
  providers: DemoProviders | undefined,
): Stream {
  const toClient = writable.getWriter();
  let initialization: { readonly id: string | number; readonly hasTerminal: boolean } | undefined;

  async function answer({ id, method, params }: Request): Promise<object | undefined> {
    if (method === 'initialize') {
      const { capabilities, clientCapabilities } = Initialize.parse(params);
      initialization = { id, hasTerminal: Boolean(clientCapabilities?.auth?.terminal ?? capabilities?.auth?.terminal) };
    }
    if (needSignIn.has(method) && !(await signIn.hasSignedInIfRequired())) throw RequestError.authRequired();
    switch (method) {
      case 'authenticate':
      case 'auth/login':
        SignIn.parse(params);
        await signIn.signIn();
        return {};
      case 'logout':
      case 'auth/logout':
        await signIn.signOut();
        return {};
      case 'providers/list':
        return providers?.list();
      case 'providers/set':
        return providers?.set(SetProvider.parse(params));
      case 'providers/disable':
        return providers?.disable(DisableProvider.parse(params));
      default:
        return undefined;
    }
  }

  /** Adds both to the answer to `initialize`. */
  function completed(message: AnyMessage): AnyMessage {
    const { id, result } = Initialized.safeParse(message).data ?? {};
    if (id === undefined || id !== initialization?.id) return message;
    const methods = signIn.methods(initialization.hasTerminal);
    const offered = providers ? { providers: {} } : {};
    const v1 = V1Result.safeParse(result).data;
    if (v1) {
      const agentCapabilities = { ...v1.agentCapabilities, ...offered, auth: { logout: {} } };
      return { jsonrpc: '2.0', id, result: { ...v1, agentCapabilities, authMethods: methods } };
    }
    const v2 = V2Result.parse(result);
    const capabilities = { ...v2.capabilities, ...offered };
    return { jsonrpc: '2.0', id, result: { ...v2, capabilities, authMethods: methods.map(toV2AuthMethod) } };
  }

  return {
    readable: readable.pipeThrough(
      new TransformStream<AnyMessage, AnyMessage>({
        async transform(message, controller) {
          const request = Request.safeParse(message).data;
          const failed = (error: unknown) => ({
            code: error instanceof RequestError ? error.code : rpcErrorCode.invalidParams,
            message: messageOf(error),
          });
          const answered =
            request &&
            (await answer(request).then(
              (result) => result && { result },
              (error: unknown) => ({ error: failed(error) }),
            ));
          if (request && answered) await toClient.write({ jsonrpc: '2.0', id: request.id, ...answered });
          else controller.enqueue(message);
        },
      }),
    ),
    writable: new WritableStream<AnyMessage>({ write: (message) => toClient.write(completed(message)) }),
  };
}

function toV2AuthMethod(method: AuthMethod): object {
  const { id: methodId, name } = method;
  return 'args' in method ? { type: 'terminal', methodId, name, args: method.args } : { type: 'agent', methodId, name };
}
