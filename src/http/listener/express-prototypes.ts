import { IncomingMessage, type ServerOptions, ServerResponse } from 'node:http';
import type { Express, Request, Response } from 'express';

/** What a server makes its requests and responses of. */
export type MessageClasses = Required<Pick<ServerOptions, 'IncomingMessage' | 'ServerResponse'>>;

/**
 * Makes classes whose objects are Express' own from the start. Express would otherwise change the prototype of every
 * request and response it is handed, and V8 takes both objects apart for that: a tenth of a cached answer.
 */
export function createMessageClasses(app: Express): MessageClasses {
  class GatewayRequest extends IncomingMessage {}
  class GatewayResponse<R extends IncomingMessage = IncomingMessage> extends ServerResponse<R> {}
  Object.setPrototypeOf(GatewayRequest.prototype, app.request);
  Object.setPrototypeOf(GatewayResponse.prototype, app.response);
  // What Express sets is now what is there already.
  app.request = GatewayRequest.prototype as Request;
  app.response = GatewayResponse.prototype as Response;
  return { IncomingMessage: GatewayRequest, ServerResponse: GatewayResponse };
}
