import { fault } from '../errors/fault.ts';
import { type Json, JsonError, readJson } from '../kernel/json.ts';

/** A reply of an upstream, body decompressed and complete. */
export type UpstreamReply = {
  readonly status: number;
  /** Value of a header by its lower-case name. */
  header(name: string): string | undefined;
  readonly body: Buffer;
};

/** How a source's bodies are read. */
export type DecodeSpec = { readonly contentTypes: readonly string[]; readonly charset?: string | undefined };

/**
 * The media type and character set of a `Content-Type` header, in lower case.
 * @internal
 */
export function readContentType(header: string | undefined): {
  mediaType: string;
  charset: string | undefined;
} {
  const [mediaType = '', ...parameters] = (header ?? '').split(';').map((part) => part.trim());
  const charset = parameters
    .map((parameter) => /^charset="?([^"]+)"?$/i.exec(parameter)?.[1])
    .find((found) => found !== undefined);
  return { mediaType: mediaType.toLowerCase(), charset: charset?.toLowerCase() };
}

function decodeText(body: Buffer, charset: string): string {
  try {
    return new TextDecoder(charset, { fatal: true }).decode(body);
  } catch (cause) {
    throw fault('upstream_invalid_response', { detail: `the body is not valid ${charset}`, cause });
  }
}

/**
 * Reads a JSON body: character set by the source's override, then the header, then UTF-8; nothing is replaced
 * or lost on the way.
 * @throws GatewayError `upstream_invalid_response`
 */
export function decodeBody(reply: UpstreamReply, spec: DecodeSpec): Json {
  const { mediaType, charset } = readContentType(reply.header('content-type'));
  if (!spec.contentTypes.includes(mediaType)) {
    throw fault('upstream_invalid_response', {
      detail: `content type ${JSON.stringify(mediaType.slice(0, 60))} is not one the source declares`,
    });
  }
  const text = decodeText(reply.body, spec.charset ?? charset ?? 'utf-8');
  try {
    return readJson(text);
  } catch (cause) {
    if (!(cause instanceof JsonError)) throw cause;
    throw fault('upstream_invalid_response', { detail: `the body is not JSON: ${cause.message}`, cause });
  }
}
