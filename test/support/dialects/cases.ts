import { csvExport, graphql, jsonServer, odoo, salesforce, servicenow, soap } from './business.ts';
import { directus, elasticsearch, laravel, odataV2, odataV4, postgrest, spring } from './data.ts';
import { auth0, crest, keycloak, okta, scim } from './identity.ts';
import type { Dialect } from './serve.ts';
import { magento, shopify, woocommerce } from './shops.ts';

/** One dialect: its service, the address of its list, and what a person's hand-written source says of it. */
export type DialectCase = {
  readonly example: string;
  readonly resource: 'users' | 'products';
  readonly dialect: () => Dialect;
  /** The bare address that everything starts from. */
  readonly list: string;
  /** The body of the list's request, where the protocol has one. */
  readonly body?: string;
  /** The request for one record, where the protocol needs it said. */
  readonly oneBody?: string;
  /** Where the example's own address ends on this service. */
  readonly base: string;
  /** The most lines that may say EDIT. */
  readonly edits: number;
  /** What a person does with the draft, in answer to its remarks: from, to. */
  readonly corrections?: readonly (readonly [string, string])[];
  /** Where the draft says otherwise than the hand-written source, and that is right: no reply told more. */
  readonly differs?: readonly string[];
};

const GRAPHQL = `query Users($first: Int!, $after: String) { users(first: $first, after: $after) { totalCount pageInfo { hasNextPage endCursor } edges { node {id name email createdAt} } } }`;
const ONE_USER = `query User($id: ID!) { user(id: $id) { id name email createdAt profile { bio location avatarUrl } } }`;
const envelope = (inner: string) =>
  `<soapenv:Envelope xmlns:soapenv="http://schemas.xmlsoap.org/soap/envelope/" xmlns:c="urn:example-erp:contacts"><soapenv:Body>${inner}</soapenv:Body></soapenv:Envelope>`;

export const dialectCases: readonly DialectCase[] = [
  {
    example: 'scim',
    resource: 'users',
    dialect: scim,
    list: '/scim/v2/Users',
    base: '/scim/v2',
    edits: 0,
    differs: ['order'],
  },
  {
    example: 'keycloak',
    resource: 'users',
    dialect: keycloak,
    list: '/admin/realms/main/users',
    base: '/admin/realms/main',
    edits: 0,
    differs: ['order'],
  },
  { example: 'okta', resource: 'users', dialect: okta, list: '/api/v1/users', base: '', edits: 0 },
  {
    example: 'auth0',
    resource: 'users',
    dialect: auth0,
    list: '/api/v2/users',
    base: '/api/v2',
    edits: 0,
    differs: ['order'],
  },
  { example: 'ldap-crest', resource: 'users', dialect: crest, list: '/api/users', base: '/api', edits: 1 },
  {
    example: 'odata-v4',
    resource: 'products',
    dialect: odataV4,
    list: '/odata/Products',
    base: '/odata',
    edits: 0,
  },
  {
    example: 'odata-v2-sap',
    resource: 'products',
    dialect: odataV2,
    list: '/sap/opu/odata/IWBEP/GWSAMPLE_BASIC/ProductSet',
    base: '/sap/opu/odata/IWBEP/GWSAMPLE_BASIC',
    edits: 1,
    differs: ['items'],
  },
  {
    example: 'spring-data-rest',
    resource: 'products',
    dialect: spring,
    list: '/api/products',
    base: '/api',
    edits: 0,
    differs: ['filters.category'],
  },
  {
    example: 'woocommerce',
    resource: 'products',
    dialect: woocommerce,
    list: '/wp-json/wc/v3/products',
    base: '',
    edits: 0,
    corrections: [
      ["as: [{ nullIf: [''] }] }\n        price", "as: [{ nullIf: [''] }, stripHtml] }\n        price"],
    ],
  },
  {
    example: 'magento2',
    resource: 'products',
    dialect: magento,
    list: '/rest/V1/products',
    base: '/rest',
    edits: 2,
    corrections: [
      [
        'description: custom_attributes[?attribute_code=="description"].value',
        'description: { from: \'custom_attributes[?attribute_code=="description"].value\', as: [stripHtml] }',
      ],
      [
        'category: custom_attributes[?attribute_code=="category_ids"].value[0]',
        'category: { from: \'custom_attributes[?attribute_code=="category_ids"].value[0]\', as: [{ enum: { "3": Gear, "4": Bags, "5": Fitness Equipment, "6": Watches, "11": Men, "20": Women } }] }',
      ],
    ],
    differs: ['filters.category'],
  },
  {
    example: 'shopify',
    resource: 'products',
    dialect: shopify,
    list: '/admin/api/2025-01/products.json',
    base: '',
    edits: 0,
    corrections: [
      ["from: body_html, as: [{ nullIf: [''] }]", "from: body_html, as: [{ nullIf: [''] }, stripHtml]"],
    ],
  },
  {
    example: 'salesforce',
    resource: 'users',
    dialect: salesforce,
    list: '/services/data/v61.0/query',
    base: '',
    edits: 0,
  },
  {
    example: 'servicenow',
    resource: 'users',
    dialect: servicenow,
    list: '/api/now/table/sys_user',
    base: '',
    edits: 0,
  },
  { example: 'postgrest', resource: 'products', dialect: postgrest, list: '/products', base: '', edits: 0 },
  { example: 'postgrest', resource: 'users', dialect: postgrest, list: '/users', base: '', edits: 0 },
  {
    example: 'directus',
    resource: 'products',
    dialect: directus,
    list: '/items/products',
    base: '',
    edits: 0,
    differs: ['filters.price'],
  },
  { example: 'laravel', resource: 'users', dialect: laravel, list: '/api/users', base: '/api', edits: 0 },
  {
    example: 'elasticsearch',
    resource: 'products',
    dialect: elasticsearch,
    list: '/products',
    base: '',
    edits: 0,
    differs: ['items', 'map.id', 'map.name', 'map.description', 'map.price', 'map.category'],
  },
  {
    example: 'graphql',
    resource: 'users',
    dialect: graphql,
    list: '/graphql',
    body: JSON.stringify({ operationName: 'Users', query: GRAPHQL, variables: { first: 10 } }),
    oneBody: JSON.stringify({ query: ONE_USER, variables: { id: 'VXNlcjo0M100' } }),
    base: '',
    edits: 0,
  },
  {
    example: 'json-rpc-odoo',
    resource: 'products',
    dialect: odoo,
    list: '/web/dataset/call_kw/product.template/search_read',
    body: JSON.stringify({
      jsonrpc: '2.0',
      method: 'call',
      params: {
        model: 'product.template',
        method: 'search_read',
        args: [],
        kwargs: {
          domain: [['sale_ok', '=', true]],
          fields: ['id', 'name', 'description_sale', 'list_price', 'categ_id'],
          offset: 0,
          limit: 80,
          order: 'id asc',
        },
      },
    }),
    base: '',
    edits: 0,
  },
  {
    example: 'soap',
    resource: 'users',
    dialect: soap,
    list: '/services/ContactService',
    body: envelope('<c:ListContacts><c:FirstRow>1</c:FirstRow><c:MaxRows>50</c:MaxRows></c:ListContacts>'),
    oneBody: envelope('<c:GetContact><c:ContactNo>712</c:ContactNo></c:GetContact>'),
    base: '',
    edits: 2,
    corrections: [['zone: UTC', 'zone: Europe/Berlin']],
  },
  {
    example: 'csv-export',
    resource: 'products',
    dialect: csvExport,
    list: '/export/artikel.csv',
    base: '',
    edits: 2,
    corrections: [
      [
        'category: WGR',
        "category: { from: WGR, as: [{ enum: { '10': Werkzeug, '20': Garten, '30': Küche & Bad } }] }",
      ],
    ],
  },
  {
    example: 'json-server',
    resource: 'products',
    dialect: jsonServer,
    list: '/products',
    base: '',
    edits: 0,
    differs: ['filters.price'],
  },
  { example: 'json-server', resource: 'users', dialect: jsonServer, list: '/users', base: '', edits: 1 },
];
