interface HttpServer {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Returns an agent's MCP server entry, in the format of the setting. Without HTTP, the MCP bridge connects to the server. */
export function mcpServerSetting(
  { headers, url }: HttpServer,
  transports: { readonly http: boolean },
  bridge: { readonly runtime: string; readonly file: string },
): object {
  if (transports.http) return { type: 'http', url, headers };
  const { Authorization: authorization = '' } = headers;
  return {
    command: bridge.runtime,
    args: [bridge.file],
    env: { ELECTRON_RUN_AS_NODE: '1', BACKLINE_MCP_URL: url, BACKLINE_MCP_AUTHORIZATION: authorization },
  };
}
