import { z } from 'zod';
import { type ErrorCode, errorCodes, wireName } from '../../../contract/errors.ts';
import type { Operation } from '../../../contract/operation.ts';
import { operations } from '../../../contract/operations.ts';

type Schema = z.core.JSONSchema.BaseSchema;

export type DescribedOperation = Operation & { name: string };

export const describedOperations: readonly DescribedOperation[] = Object.entries(operations).map(
  ([name, operation]) => ({ name, ...operation }),
);

/**
 * The contract as an OpenAPI 3.1 document: every operation is a POST under `/api`, with its input as `data`.
 */
export function openapiDocument({ publicUrl, title }: { publicUrl: string; title: string }) {
  return {
    openapi: '3.1.0',
    info: {
      title: `${title}: operations`,
      version: '1',
      description:
        'Every operation is a call: POST with {"data": input}, answered by {"result": output} or {"error": {...}}. ' +
        'Sign in with the header Authorization: Bearer and a personal access token from your account page.',
    },
    servers: [{ url: `${publicUrl}/api` }],
    components: {
      securitySchemes: { token: { type: 'http', scheme: 'bearer' } },
      schemas: { Error: errorSchema },
      responses: {
        Error: {
          description: 'The call was refused, or failed.',
          content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
        },
      },
    },
    paths: Object.fromEntries(
      describedOperations.map(operation => [`/${operation.name}`, { post: pathOf(operation) }]),
    ),
  };
}

function pathOf(operation: DescribedOperation) {
  return {
    operationId: operation.name,
    summary: operation.summary,
    description: `${callers[operation.for]} ${scopeText(operation)}`,
    security:
      operation.scope === 'none' ? [] : operation.for === 'anyone' ? [{}, { token: [] }] : [{ token: [] }],
    requestBody: {
      required: true,
      content: { 'application/json': { schema: envelope('data', inputSchema(operation)) } },
    },
    responses: {
      200: {
        description: 'Done.',
        content: { 'application/json': { schema: envelope('result', outputSchema(operation)) } },
      },
      default: { $ref: '#/components/responses/Error' },
    },
  };
}

export const callers: Readonly<Record<Operation['for'], string>> = {
  anyone: 'Anyone may call this.',
  'signed-in': 'For accounts, approved or not.',
  approved: 'For approved members and admins.',
  author: 'For authors and admins.',
  admin: 'For admins.',
};

function scopeText({ scope }: Operation): string {
  return scope === 'none' ? 'No access token may.' : `A token needs the scope “${scope}”.`;
}

/** Rules that JSON Schema cannot express are left out; the server still checks them. */
const options = { target: 'draft-2020-12', unrepresentable: 'any' } as const;
export const inputSchema = ({ input }: Operation): Schema =>
  plain(z.toJSONSchema(input, { ...options, io: 'input' }));
export const outputSchema = ({ output }: Operation): Schema =>
  plain(z.toJSONSchema(output, { ...options, io: 'output' }));

function plain({ $schema: _, ...schema }: Schema): Schema {
  return schema;
}

function envelope(name: 'data' | 'result', schema: Schema) {
  return { type: 'object', properties: { [name]: schema }, required: [name], additionalProperties: false };
}

const errorSchema = {
  type: 'object',
  required: ['error'],
  properties: {
    error: {
      type: 'object',
      required: ['status', 'message'],
      properties: {
        status: { type: 'string', enum: Object.keys(errorCodes).map(code => wireName(code as ErrorCode)) },
        message: { type: 'string' },
        details: { type: 'object' },
      },
    },
  },
};
