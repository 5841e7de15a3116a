import { csvExport, graphql, jsonServer, odoo, salesforce, servicenow, soap } from './business.ts';
import { directus, elasticsearch, laravel, odataV2, odataV4, postgrest, spring } from './data.ts';
import { auth0, crest, keycloak, okta, scim } from './identity.ts';
import { couchdb, djangoCursor, djangoOffset, djangoPage, hal, jsonApi } from './conventions.ts';
import type { DialectCase } from './dialect-case.ts';
import { magento, shopify, woocommerce } from './shops.ts';

const ONE_USER = `query User($id: ID!) { user(id: $id) { id name email createdAt profile { bio location avatarUrl } } }`;
const envelope = (inner: string) =>
  `<soapenv:Envelope xmlns:soapenv="http://schemas.xmlsoap.org/soap/envelope/" xmlns:c="urn:example-erp:contacts"><soapenv:Body>${inner}</soapenv:Body></soapenv:Envelope>`;

export const dialectCases: readonly DialectCase[] = [
  { example: 'scim', resource: 'users', dialect: scim, base: '/scim/v2', edits: 1, differs: ['order'] },
  {
    example: 'keycloak',
    resource: 'users',
    dialect: keycloak,
    base: '/admin/realms/main',
    edits: 1,
    differs: ['order'],
  },
  { example: 'okta', resource: 'users', dialect: okta, edits: 0 },
  { example: 'auth0', resource: 'users', dialect: auth0, base: '/api/v2', edits: 1, differs: ['order'] },
  { example: 'ldap-crest', resource: 'users', dialect: crest, base: '/api', edits: 1 },
  { example: 'odata-v4', resource: 'products', dialect: odataV4, base: '/odata', edits: 0 },
  {
    example: 'odata-v2-sap',
    resource: 'products',
    dialect: odataV2,
    base: '/sap/opu/odata/IWBEP/GWSAMPLE_BASIC',
    edits: 1,
    differs: ['items'],
  },
  {
    example: 'spring-data-rest',
    resource: 'products',
    dialect: spring,
    base: '/api',
    edits: 0,
    differs: ['filters.category'],
  },
  {
    example: 'woocommerce',
    resource: 'products',
    dialect: woocommerce,
    edits: 1,
    corrections: [
      ['category: categories[0].name', "category: { from: 'categories[0].name', as: [unescape] }"],
      ["as: [{ nullIf: [''] }] }\n        price", "as: [{ nullIf: [''] }, stripHtml] }\n        price"],
    ],
  },
  {
    example: 'magento2',
    resource: 'products',
    dialect: magento,
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
    edits: 1,
    corrections: [
      ['category: product_type', "category: { from: product_type, as: [{ nullIf: [''] }] }"],
      ["from: body_html, as: [{ nullIf: [''] }]", "from: body_html, as: [{ nullIf: [''] }, stripHtml]"],
    ],
  },
  { example: 'salesforce', resource: 'users', dialect: salesforce, edits: 0 },
  { example: 'servicenow', resource: 'users', dialect: servicenow, edits: 0 },
  { example: 'postgrest', resource: 'products', dialect: postgrest, edits: 0 },
  { example: 'postgrest', resource: 'users', dialect: postgrest, edits: 0 },
  { example: 'directus', resource: 'products', dialect: directus, edits: 0, differs: ['filters.price'] },
  { example: 'laravel', resource: 'users', dialect: laravel, base: '/api', edits: 1, differs: ['order'] },
  {
    example: 'elasticsearch',
    resource: 'products',
    dialect: elasticsearch,
    list: '/products',
    edits: 0,
    differs: ['items', 'map.id', 'map.name', 'map.description', 'map.price', 'map.category'],
  },
  {
    example: 'graphql',
    resource: 'users',
    dialect: graphql,
    filled: { limit: 10 },
    oneBody: JSON.stringify({ query: ONE_USER, variables: { id: 'VXNlcjo0M100' } }),
    edits: 0,
  },
  {
    example: 'json-rpc-odoo',
    resource: 'products',
    dialect: odoo,
    filled: { limit: 80, offset: 0 },
    edits: 0,
  },
  {
    example: 'soap',
    resource: 'users',
    dialect: soap,
    body: envelope('<c:ListContacts><c:FirstRow>1</c:FirstRow><c:MaxRows>50</c:MaxRows></c:ListContacts>'),
    oneBody: envelope('<c:GetContact><c:ContactNo>712</c:ContactNo></c:GetContact>'),
    edits: 3,
    differs: ['order'],
    corrections: [['zone: UTC', 'zone: Europe/Berlin']],
  },
  {
    example: 'csv-export',
    resource: 'products',
    dialect: csvExport,
    edits: 5,
    // Its numbers have zeros in front, which only its operator knows to mean nothing.
    differs: ['id'],
    corrections: [
      ['id: { kind: text }', 'id: { kind: number }'],
      ['name: Bezeichnung', 'name: { from: Bezeichnung, as: [trim] }'],
      ['description: Beschreibung', "description: { from: Beschreibung, as: [trim, { nullIf: [''] }] }"],
      [
        'category: WGR',
        "category: { from: WGR, as: [{ enum: { '10': Werkzeug, '20': Garten, '30': Küche & Bad } }] }",
      ],
    ],
  },
  { example: 'json-server', resource: 'products', dialect: jsonServer, edits: 0, differs: ['filters.price'] },
  { example: 'json-server', resource: 'users', dialect: jsonServer, edits: 1 },
  // Conventions that many products share.
  {
    example: 'json-api',
    resource: 'products',
    dialect: jsonApi,
    base: '/api',
    edits: 0,
    // Its ids are texts beside numbers, so the next one may be any text.
    differs: ['id'],
  },
  { example: 'json-api', resource: 'users', dialect: jsonApi, base: '/api', edits: 0 },
  { example: 'django-rest', resource: 'products', dialect: djangoPage, base: '/api', edits: 0 },
  { example: 'django-rest', resource: 'users', dialect: djangoOffset, base: '/api', edits: 0 },
  { example: 'django-rest-cursor', resource: 'products', dialect: djangoCursor, base: '/api', edits: 0 },
  { example: 'couchdb', resource: 'users', dialect: couchdb, list: '/people', edits: 0 },
  { example: 'couchdb', resource: 'products', dialect: couchdb, edits: 0 },
  { example: 'hal', resource: 'users', dialect: hal, base: '/api', edits: 1, differs: ['order'] },
];
