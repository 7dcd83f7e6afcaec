/** The API reference's examples, member by member; only session ids are the server's own. */

export const documentedRequests = {
  createSession: {
    profile: 'dev',
    model: 'claude-sonnet-4-5',
    credentials: { anthropic_api_key: 'sk-ant-secret' },
    context: {
      workspace_root: '/path/to/workspace',
      open_files: [
        {
          path: '/path/to/file.py',
          language: 'python',
          content: '...',
          cursor_position: { line: 10, character: 5 },
        },
      ],
      git_state: {
        branch: 'main',
        staged_files: ['file.py'],
        modified_files: ['other.py'],
        untracked_files: [],
      },
      diagnostics: [
        {
          path: '/path/to/file.py',
          severity: 'error',
          message: "Undefined variable 'foo'",
          range: { start: { line: 5, character: 0 }, end: { line: 5, character: 3 } },
        },
      ],
      selection: {
        path: '/path/to/file.py',
        text: 'selected text',
        range: { start: { line: 10, character: 0 }, end: { line: 15, character: 0 } },
      },
    },
  },
  prompt: {
    prompt: 'Explain this code and suggest improvements',
    context_update: {
      selection: {
        path: '/path/to/file.py',
        text: 'def foo():\n    pass',
        range: { start: { line: 10, character: 0 }, end: { line: 11, character: 8 } },
      },
    },
  },
};

const place = { start: { line: 10, character: 0 }, end: { line: 10, character: 20 } };

/** Without `session_id`, and without the two that the server tells by itself. */
interface Example {
  readonly event: string;
  readonly data: Record<string, unknown>;
}

export const documentedEvents: readonly Example[] = [
  { event: 'prompt:submit', data: { request_id: 'req-123', prompt: 'Explain this code' } },
  {
    event: 'prompt:complete',
    data: {
      request_id: 'req-123',
      response: 'The final response text...',
      token_usage: { input_tokens: 1500, output_tokens: 350 },
    },
  },
  { event: 'content_block:start', data: { block_type: 'text', block_index: 0 } },
  { event: 'content_block:delta', data: { block_index: 0, delta: 'Here is the next piece of text...' } },
  { event: 'content_block:end', data: { block_index: 0 } },
  { event: 'thinking:delta', data: { delta: 'Let me think about this...' } },
  { event: 'thinking:final', data: { thinking: 'Complete thinking content...' } },
  {
    event: 'tool:pre',
    data: { tool_name: 'filesystem', operation: 'read_file', input: { path: '/path/to/file.py' } },
  },
  {
    event: 'tool:post',
    data: {
      tool_name: 'filesystem',
      operation: 'read_file',
      result: { success: true, output: 'file content...' },
      duration_ms: 15,
    },
  },
  {
    event: 'tool:error',
    data: { tool_name: 'filesystem', operation: 'read_file', error: 'File not found: /path/to/file.py' },
  },
  {
    event: 'approval:required',
    data: {
      approval_id: 'appr-456',
      prompt: 'Allow writing to /path/to/file.py?',
      options: ['Allow', 'Deny', 'Allow All'],
      timeout: 300,
      default: 'deny',
      context: { tool: 'filesystem', operation: 'write_file', path: '/path/to/file.py' },
    },
  },
  { event: 'approval:granted', data: { approval_id: 'appr-456', decision: 'Allow' } },
  { event: 'approval:denied', data: { approval_id: 'appr-456', decision: 'Deny', reason: 'user_denied' } },
  {
    event: 'diagnostic:add',
    data: {
      path: '/path/to/file.py',
      diagnostics: [
        {
          range: place,
          severity: 'warning',
          message: '[Amplifier] Consider using list comprehension here',
          source: 'amplifier',
        },
      ],
    },
  },
  { event: 'diagnostic:clear', data: { path: '/path/to/file.py' } },
  { event: 'status:update', data: { status: 'processing', message: 'Analyzing code...', progress: 45 } },
];

const question: Example = {
  event: 'approval:required',
  data: { approval_id: 'appr-456', prompt: 'Allow?', options: ['Allow', 'Deny'] },
};

/** What a session tells before an event of an example. */
export const beforeDocumented: Readonly<Record<string, readonly Example[]>> = {
  'content_block:end': [{ event: 'content_block:start', data: { block_type: 'text', block_index: 0 } }],
  'approval:granted': [question],
  'approval:denied': [question],
};
