-- The trade of Northwind, by its documentation: keys of smallint without a sequence, keys of text, reals, and lines of
-- orders with a key of two columns.
create table categories (
  category_id smallint not null,
  category_name character varying(15) not null,
  description text,
  picture bytea,
  constraint pk_categories primary key (category_id)
);
create table suppliers (
  supplier_id smallint not null,
  company_name character varying(40) not null,
  contact_name character varying(30),
  country character varying(15),
  homepage text,
  constraint pk_suppliers primary key (supplier_id)
);
create table products (
  product_id smallint not null,
  product_name character varying(40) not null,
  supplier_id smallint,
  category_id smallint,
  quantity_per_unit character varying(20),
  unit_price real,
  units_in_stock smallint,
  discontinued integer not null,
  constraint pk_products primary key (product_id),
  constraint fk_products_categories foreign key (category_id) references categories,
  constraint fk_products_suppliers foreign key (supplier_id) references suppliers
);
create table region (
  region_id smallint not null,
  region_description character varying(60) not null,
  constraint pk_region primary key (region_id)
);
create table territories (
  territory_id character varying(20) not null,
  territory_description character varying(60) not null,
  region_id smallint not null,
  constraint pk_territories primary key (territory_id),
  constraint fk_territories_region foreign key (region_id) references region
);
create table employees (
  employee_id smallint not null,
  last_name character varying(20) not null,
  first_name character varying(10) not null,
  birth_date date,
  photo bytea,
  notes text,
  reports_to smallint,
  constraint pk_employees primary key (employee_id),
  constraint fk_employees_employees foreign key (reports_to) references employees
);
create table employee_territories (
  employee_id smallint not null,
  territory_id character varying(20) not null,
  constraint pk_employee_territories primary key (employee_id, territory_id),
  constraint fk_employee_territories_territories foreign key (territory_id) references territories,
  constraint fk_employee_territories_employees foreign key (employee_id) references employees
);
create table shippers (
  shipper_id smallint not null,
  company_name character varying(40) not null,
  phone character varying(24),
  constraint pk_shippers primary key (shipper_id)
);
create table customers (
  customer_id character varying(5) not null,
  company_name character varying(40) not null,
  city character varying(15),
  constraint pk_customers primary key (customer_id)
);
create table orders (
  order_id smallint not null,
  customer_id character varying(5),
  employee_id smallint,
  order_date date,
  shipped_date date,
  ship_via smallint,
  freight real,
  constraint pk_orders primary key (order_id),
  constraint fk_orders_customers foreign key (customer_id) references customers,
  constraint fk_orders_employees foreign key (employee_id) references employees,
  constraint fk_orders_shippers foreign key (ship_via) references shippers
);
create table order_details (
  order_id smallint not null,
  product_id smallint not null,
  unit_price real not null,
  quantity smallint not null,
  discount real not null,
  constraint pk_order_details primary key (order_id, product_id),
  constraint fk_order_details_products foreign key (product_id) references products,
  constraint fk_order_details_orders foreign key (order_id) references orders
);

insert into categories (category_id, category_name) values (1, 'Beverages'), (2, 'Condiments');
insert into customers (customer_id, company_name) values ('ALFKI', 'Alfreds Futterkiste');
insert into orders (order_id, customer_id) values (10248, 'ALFKI');
