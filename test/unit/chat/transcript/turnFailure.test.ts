import assert from 'node:assert/strict';
import fc from 'fast-check';
import { withoutKeys } from '../../../../src/base/common/text/withoutKeys';
import { classifyFailure, describeFailure } from '../../../../src/chat/common/transcript/turnFailure';
import { endFromError } from '../../../../src/chat/common/transcript/turnEnds';

const at = Date.UTC(2026, 0, 1, 12);
const minute = 60_000;
const hour = 60 * minute;

/** What agents and servers report, and the sentence about it. The time of a reset is checked where it is a moment. */
const reports: readonly (readonly [text: string, sentence: string | undefined, resetsInMs?: number])[] = [
  // Claude Code
  [
    'Claude: API Error: 529 {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"},"request_id":"req_1"}',
    'Agent is overloaded (529).',
  ],
  [
    'API Error: 529 Overloaded. This is a server-side issue, usually temporary — try again in a moment.',
    'Agent is overloaded (529).',
  ],
  ['{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}', 'Agent is overloaded.'],
  ['Claude AI usage limit reached|1767279600', 'The usage limit of Agent is reached.', 3 * hour],
  [
    'Claude usage limit reached. Your limit will reset at 3pm (America/Santiago).',
    'The usage limit of Agent is reached. It resets at 3pm (America/Santiago).',
  ],
  [
    "You've hit your limit · resets 10pm (America/New_York)",
    'The usage limit of Agent is reached. It resets at 10pm (America/New_York).',
  ],
  [
    'You’ve hit your limit for Claude messages. Limits will reset at 9:30 AM.',
    'The usage limit of Agent is reached. It resets at 9:30 AM.',
  ],
  ['5-hour limit reached ∙ resets 3pm', 'The usage limit of Agent is reached. It resets at 3pm.'],
  ['Your credit balance is too low to access the Anthropic API.', 'The usage limit of Agent is reached.'],
  [
    '429 {"type":"error","error":{"type":"rate_limit_error","message":"This request would exceed your account\'s rate limit."}}',
    'Agent has sent too many requests.',
  ],
  [
    'API Error: 400 {"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 208732 tokens > 200000 maximum"}}',
    'This conversation is too long for the model.',
  ],
  ['Invalid API key · Please run /login', 'Agent requires you to sign in.'],
  [
    'API Error: 401 {"type":"error","error":{"type":"authentication_error","message":"Invalid OAuth token."}}',
    'Agent requires you to sign in.',
  ],
  [
    'API Error: Unable to connect to API (ECONNREFUSED)',
    'Agent can’t reach its service. Check the network and the proxy.',
  ],
  ['API Error (Connection error.)', 'Agent can’t reach its service. Check the network and the proxy.'],
  [
    'Failed to connect to api.anthropic.com: UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
    'Agent does not trust the certificate of its service. A proxy may have replaced it.',
  ],
  [
    'Internal error: API Error: 500 {"type":"error","error":{"type":"api_error","message":"Internal server error"}}',
    'The model service of Agent failed (500).',
  ],
  ['Internal error: Claude Code process exited with code 1', 'Agent stopped (exit code 1).'],
  // Codex
  [
    "You've hit your usage limit. Upgrade to Pro (https://openai.com/chatgpt/pricing) or try again in 5 days 22 hours 11 minutes.",
    'The usage limit of Agent is reached.',
    142 * hour + 11 * minute,
  ],
  [
    'You have reached your usage limit. Upgrade your plan, or try again after July 3, 2026 at 2:45 PM.',
    'The usage limit of Agent is reached. It resets on July 3, 2026 at 2:45 PM.',
  ],
  [
    '{"error":{"type":"usage_limit_reached","message":"The usage limit has been reached","resets_at":1767279600}}',
    'The usage limit of Agent is reached.',
    3 * hour,
  ],
  [
    'stream disconnected before completion: Rate limit is exceeded. Try again in 17 seconds.',
    'Agent has sent too many requests.',
    17_000,
  ],
  [
    'Rate limit reached for organization org-1 on tokens per min (TPM): Limit 250000, Used 250000. Please try again in 21.509s.',
    'Agent has sent too many requests.',
    21_509,
  ],
  [
    'stream disconnected before completion: error sending request for url (https://chatgpt.com/backend-api/codex/responses)',
    'Agent can’t reach its service. Check the network and the proxy.',
  ],
  [
    "Codex ran out of room in the model's context window. Start a new conversation.",
    'This conversation is too long for the model.',
  ],
  // Gemini
  [
    '[{"error":{"code":429,"message":"Resource exhausted. Please try again later.","status":"RESOURCE_EXHAUSTED"}}]',
    'Agent has sent too many requests.',
  ],
  ['[API Error: You have exhausted your daily quota on this model.]', 'The usage limit of Agent is reached.'],
  [
    'Usage limit reached for gemini-3-flash-preview. Access resets at 10:57 PM GMT-3.',
    'The usage limit of Agent is reached. It resets at 10:57 PM GMT-3.',
  ],
  [
    '{"error":{"code":429,"details":[{"reason":"RATE_LIMIT_EXCEEDED","metadata":{"quota_limit":"Gemini25ProRequestsPerDay"}}]}}',
    'The usage limit of Agent is reached.',
  ],
  [
    '{"error":{"code":503,"message":"The model is overloaded. Please try again later.","status":"UNAVAILABLE"}}',
    'Agent is overloaded (503).',
  ],
  [
    'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).',
    'This conversation is too long for the model.',
  ],
  // Proxies
  ['Proxy response (407) !== 200 when HTTP Tunneling', 'Agent can’t use the proxy. Check its address and sign-in.'],
  [
    'tunneling socket could not be established, statusCode=407',
    'Agent can’t use the proxy. Check its address and sign-in.',
  ],
  ['Request failed with status code 407', 'Agent can’t use the proxy. Check its address and sign-in.'],
  ['CONNECT tunnel failed, response 407', 'Agent can’t use the proxy. Check its address and sign-in.'],
  ['Received HTTP code 407 from proxy after CONNECT', 'Agent can’t use the proxy. Check its address and sign-in.'],
  ['407 Proxy Authentication Required', 'Agent can’t use the proxy. Check its address and sign-in.'],
  // OpenCode, and models behind it
  ['prompt is too long: 202744 tokens > 200000 maximum', 'This conversation is too long for the model.'],
  [
    "This model's maximum context length is 262144 tokens. However, your messages resulted in 262897 tokens.",
    'This conversation is too long for the model.',
  ],
  ['ProviderAuthError', 'Agent requires you to sign in.'],
  ['Error: getaddrinfo ENOTFOUND api.openai.com', 'Agent can’t reach its service. Check the network and the proxy.'],
  // Copilot
  ['Execution failed: 402 You have no quota', 'The usage limit of Agent is reached.'],
  [
    'Model call failed: {"message":"You have no quota","code":"quota_exceeded"}',
    'The usage limit of Agent is reached.',
  ],
  [
    "Sorry, you've hit a rate limit that restricts the number of Copilot model requests. Please try again in 2 hours.",
    'Agent has sent too many requests.',
    2 * hour,
  ],
  // Backline about the process
  ['Agent ended unexpectedly (exit code 137).', 'Agent stopped (exit code 137).'],
  ['Agent ended unexpectedly (SIGKILL).', 'Agent stopped (SIGKILL).'],
  ['Agent ended unexpectedly (it closed the connection).', 'Agent stopped unexpectedly.'],
  // Amazon Bedrock
  ['ThrottlingException: Too many tokens, please wait before trying again.', 'Agent has sent too many requests.'],
  ['Too many tokens, please wait before trying again.', 'Agent has sent too many requests.'],
  ['Too many tokens per day, please wait before trying again.', 'The usage limit of Agent is reached.'],
  ['429 Too Many Requests: this model allows 8000 tokens per minute', 'Agent has sent too many requests.'],
  ['There are too many input tokens for the context of this model.', 'This conversation is too long for the model.'],
  // No kind of its own
  ['The search found too many tokens in the file.', undefined],
  ['The file 429.txt has 500 lines and 401 words.', undefined],
  ['The file 407.txt has 407 lines.', undefined],
  ['Something else went wrong.', undefined],
];

describe('What a turn failed of', () => {
  for (const [text, sentence, resetsInMs] of reports) {
    it(`is told in a sentence: ${text.slice(0, 70)}`, () => {
      for (const report of [{ text }, { text: 'Agent: Internal error', details: `Error -32603: ${text}` }]) {
        const failure = classifyFailure({ ...report, at });
        assert.equal(describeFailure(failure, 'Agent'), sentence);
        const resetsAt = 'resetsAt' in failure ? failure.resetsAt : undefined;
        assert.equal(resetsAt, resetsInMs === undefined ? undefined : at + resetsInMs);
      }
    });
  }

  for (const [code, kind] of [
    ['authRequired', 'signIn'],
    ['MISSING_CREDENTIALS', 'signIn'],
    ['RATE_LIMITED', 'rateLimit'],
    ['PROVIDER_UNAVAILABLE', 'overloaded'],
    ['PROVIDER_ERROR', 'service'],
    ['timeout', 'crash'],
    ['backend', 'other'],
  ] as const) {
    it(`is known by the code ${code}`, () => {
      assert.equal(classifyFailure({ text: 'It failed.', code }).kind, kind);
    });
  }

  it('is told in Backline’s own words when it can’t connect to the agent', () => {
    const text = 'Agent is unavailable. http://127.0.0.1:1/acp can’t be reached: connect ECONNREFUSED';
    assert.deepEqual(classifyFailure({ text, at }), { kind: 'other' });
  });

  it('is the agent that does not answer Backline, not its network', () => {
    const failure = classifyFailure({
      text: 'Agent did not answer: session/new timed out after 60 s.',
      code: 'timeout',
    });
    assert.equal(describeFailure(failure, 'Agent'), 'Agent did not answer in time.');
    const ofNetwork = classifyFailure({ text: 'connect ETIMEDOUT 10.0.0.1:443' });
    assert.equal(describeFailure(ofNetwork, 'Agent'), 'Agent got no answer in time.');
  });

  it('is one short line whatever is reported, with all of it in the details', () => {
    const parts = fc.constantFrom(
      ...reports.map(([text]) => text),
      '<img src=x onerror=alert(1)>',
      '\u202e\u0000\n\r\t',
      'x'.repeat(50_000),
      '('.repeat(2_000),
      'resets at '.repeat(500),
      '1 day '.repeat(500),
      '\ud800',
    );
    fc.assert(
      fc.property(fc.array(fc.oneof(parts, fc.string()), { maxLength: 6 }), fc.string(), (texts, code) => {
        const error = texts.join(' ');
        const end = endFromError({ session_id: 's', error, code }, 'Agent', at);
        assert.equal(end.outcome, 'failed');
        const { text } = end;
        assert.ok(text.length <= 300, text);
        assert.doesNotMatch(text, /[\r\n]/u);
        const isShown = text === error;
        assert.ok(isShown || end.details?.includes(withoutKeys(error)));
      }),
      { numRuns: 300 },
    );
  });

  it('repeats no key', () => {
    const key = `sk-ant-api03-${'a1'.repeat(20)}`;
    for (const error of [`Incorrect API key provided: ${key}`, `It said ${key}`, `Authorization: Bearer ${key}`]) {
      const end = endFromError({ session_id: 's', error, details: { header: key } }, 'Agent', at);
      assert.doesNotMatch(JSON.stringify(end), /a1a1/u);
    }
  });
});
