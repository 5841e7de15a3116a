import { Argument } from 'commander';
import { openapiDocument } from '../contract/openapi.ts';
import { contractJsonSchema } from '../workbench/docs/generate/schema-for-contract.ts';
import { type ConfigFileKind, configFileKinds, documentText } from '../workbench/docs/generate/documents.ts';
import type { CommandLine } from './context/context.ts';
import { readGatewayContract } from './input/read-config.ts';

/** Adds `portico openapi`, which prints the contract as OpenAPI, and `portico schema`, which prints a JSON schema for editors. */
export function registerContractCommands({ program, configFile, context }: CommandLine): void {
  program
    .command('openapi')
    .description('print the OpenAPI document of the contract, as the gateway serves it')
    .action(() => context.out(documentText(() => openapiDocument(readGatewayContract(configFile())))));
  program
    .command('schema')
    .description(
      'print the JSON schema of a configuration file, with the names that the contract has, for editors',
    )
    .addArgument(new Argument('[file]', 'the kind of file').choices(configFileKinds).default('source'))
    .action((kind: ConfigFileKind) =>
      context.out(documentText(() => contractJsonSchema(kind, readGatewayContract(configFile())))),
    );
}
