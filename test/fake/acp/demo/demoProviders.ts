import { RequestError } from '@agentclientprotocol/sdk';
import * as z from 'zod';
import { rpcErrorCode } from '../../../../src/wire/common/connectionErrors';

interface DemoProvider {
  readonly providerId: string;
  readonly supported: string[];
  readonly required: boolean;
  current: { readonly apiType: string; readonly baseUrl: string } | null;
}

export const SetProvider = z.looseObject({
  providerId: z.string(),
  apiType: z.string(),
  baseUrl: z.url(),
  headers: z.record(z.string(), z.string()).default({}),
});
export const DisableProvider = z.looseObject({ providerId: z.string() });

/** An address that the demo refuses, to test how a client shows that. */
const refusedHost = 'refused.example.com';

/** LLM providers that a client can change. The demo agent has no model, so it never sends them anything. */
export class DemoProviders {
  private readonly providers: readonly DemoProvider[] = [
    {
      providerId: 'main',
      supported: ['openai', 'anthropic', '_gizmo'],
      required: true,
      current: { apiType: 'openai', baseUrl: 'https://llm.example.com/v1?key=demo' },
    },
    {
      providerId: 'summaries',
      supported: ['openai'],
      required: false,
      current: { apiType: 'openai', baseUrl: 'https://small.example.com' },
    },
  ];

  list(): { readonly providers: DemoProvider[] } {
    return { providers: [...this.providers] };
  }

  /** @throws RequestError */
  set({ apiType, baseUrl, providerId }: z.infer<typeof SetProvider>): object {
    const provider = this.require(providerId);
    if (!provider.supported.includes(apiType)) throw invalid(`There is no protocol "${apiType}" here`);
    if (new URL(baseUrl).hostname === refusedHost) throw invalid('This gateway is not allowed');
    provider.current = { apiType, baseUrl };
    return {};
  }

  /** @throws RequestError */
  disable({ providerId }: z.infer<typeof DisableProvider>): object {
    const provider = this.require(providerId);
    if (provider.required) throw invalid(`"${providerId}" cannot be disabled`);
    provider.current = null;
    return {};
  }

  private require(id: string): DemoProvider {
    const provider = this.providers.find(({ providerId }) => providerId === id);
    if (!provider) throw invalid(`There is no LLM provider "${id}"`);
    return provider;
  }
}

function invalid(message: string): RequestError {
  return new RequestError(rpcErrorCode.invalidParams, message);
}
