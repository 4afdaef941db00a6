from django.urls import path

from . import views

urlpatterns = [
    path('', views.show_form),
    path('orders', views.take_order, name='take_order'),
    path('orders/<str:order_id>', views.show_order, name='order'),
    path('balcao', views.receive),
]
